import { type Credential, type Named, namedText, type OpenStackCloud } from '../configuration/cloud.ts';

/** The body of `POST /v3/auth/tokens`. */
export function authenticationBody({ credential, project }: OpenStackCloud): object {
  const scope = project === undefined ? {} : { scope: { project } };
  return { auth: { identity: identityOf(credential), ...scope } };
}

/** The same without a project, to find out whether it is the project that is refused. */
export function unscopedBody({ credential }: OpenStackCloud): object {
  return { auth: { identity: identityOf(credential), scope: 'unscoped' } };
}

function identityOf(credential: Credential): object {
  switch (credential.kind) {
    case 'password':
      return { methods: ['password'], password: { user: { ...credential.user, password: credential.password } } };
    case 'application-credential': {
      const { credential: named, secret } = credential;
      return { methods: ['application_credential'], application_credential: { ...named, secret } };
    }
    case 'token':
      return { methods: ['token'], token: { id: credential.token } };
  }
}

/** Who asks, for messages: `the user "web" of the domain "default"`. */
export function askerText({ credential }: OpenStackCloud): string {
  switch (credential.kind) {
    case 'password':
      return `the user ${namedText(credential.user)}`;
    case 'application-credential':
      return 'id' in credential.credential
        ? `the application credential ${credential.credential.id}`
        : `the application credential "${credential.credential.name}" of the user ${namedText(credential.credential.user)}`;
    case 'token':
      return 'the token';
  }
}

/** What to look at when Keystone does not accept it. */
export function adviceFor({ kind }: Credential): string {
  switch (kind) {
    case 'password':
      return 'check the name, its domain and the password';
    case 'application-credential':
      return 'check its id and secret, and whether it has expired or was deleted';
    case 'token':
      return 'it has expired, was revoked, or is not of this cloud';
  }
}

export function projectText(project: Named): string {
  return `the project ${namedText(project)}`;
}
