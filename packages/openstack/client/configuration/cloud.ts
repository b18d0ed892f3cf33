import { FairleadError } from '@fairlead/control';

/** A user, a project or a domain of Keystone: by its id, or by a name that is unique in a domain. */
export type Named =
  | { readonly id: string }
  | { readonly name: string; readonly domain: { readonly id: string } | { readonly name: string } };

/** How we show Keystone who we are. */
export type Credential =
  | { readonly kind: 'password'; readonly user: Named; readonly password: string }
  /** Known by its id, or by its name among those of a user. */
  | {
      readonly kind: 'application-credential';
      readonly credential: { readonly id: string } | { readonly name: string; readonly user: Named };
      readonly secret: string;
    }
  | { readonly kind: 'token'; readonly token: string };

export type EndpointInterface = 'public' | 'internal' | 'admin';

/** An OpenStack that is configured: where it is, and who we are there. */
export interface OpenStackCloud {
  /** In messages: the name in clouds.yaml, or `the environment`. */
  readonly name: string;
  /** Keystone, with `/v3` at its end. */
  readonly authUrl: string;
  readonly credential: Credential;
  /** Absent for an application credential, which has its project in it, and for a token that has one already. */
  readonly project: Named | undefined;
  /** Of the endpoints that are used. Absent: any, if all are of one. */
  readonly region: string | undefined;
  readonly interface: EndpointInterface;
  /** By type of service, in place of the catalog's. */
  readonly endpoints: ReadonlyMap<string, string>;
  readonly tls: OpenStackTls;
}

/** Paths of PEM files, and whether any certificate is accepted. */
export interface OpenStackTls {
  readonly certificateAuthorityFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly insecure?: boolean;
}

/** An operator has to change the configuration. */
export function invalidCloud(message: string, cause?: unknown): FairleadError {
  return new FairleadError(message, { verdict: 'terminal', code: 'openstack-configuration-invalid', cause });
}

/** As a person would say it: `"web" of the domain "default"`. */
export function namedText(named: Named): string {
  if ('id' in named) return named.id;
  const { domain } = named;
  return `"${named.name}" of the domain "${'id' in domain ? domain.id : domain.name}"`;
}
