/** Text given in the configuration itself, or a file that may change while we run. */
export type Material =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

/** An API server, and how it is recognised. */
export interface ClusterTarget {
  /** The URL of the API server, without a slash at its end. */
  readonly server: string;
  readonly certificateAuthority?: Material | undefined;
  /** The name the server's certificate must carry, where it is not the one in the URL. */
  readonly serverName?: string | undefined;
  /** Accepts any certificate. */
  readonly insecure: boolean;
  /** The URL of a proxy on the way; otherwise HTTPS_PROXY and NO_PROXY decide. */
  readonly proxy?: string | undefined;
  /** What an exec plugin is told about this cluster, in its own terms. */
  readonly execConfiguration?: unknown;
}

/** A program that prints credentials (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What its author wants people to read when it is not installed. */
  readonly installHint?: string | undefined;
  /** It wants to be told which cluster the credentials are for. */
  readonly wantsCluster: boolean;
}

/** Who we are to the API server. Several of these may come together, such as a certificate and a token. */
export interface UserTarget {
  readonly certificate?: Material | undefined;
  readonly key?: Material | undefined;
  readonly token?: Material | undefined;
  readonly basic?: { readonly username: string; readonly password: string } | undefined;
  readonly exec?: ExecPlugin | undefined;
  /** Acts as this user, if the server allows it. */
  readonly impersonate?: Impersonation | undefined;
}

/** Another user, as the API server would have authenticated it. */
export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A cluster, who we are in it, and where our own objects live. */
export interface KubeTarget {
  /** For people: where this was found. */
  readonly source: string;
  /** We are a Pod of this cluster, with its account. */
  readonly isPod?: true;
  readonly cluster: ClusterTarget;
  readonly user: UserTarget;
  readonly namespace: string;
}
