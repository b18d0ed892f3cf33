import type { ObjectKey } from '@fairlead/kube';

/** In whose project the load balancer of a Service is made. */
export interface ProjectDriver {
  projectOf(service: ObjectKey): string;
}

/** That of the credentials, for all of them: what is made in another could not be found again with these. */
export class CredentialsProject implements ProjectDriver {
  readonly #projectId: string;

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  projectOf(): string {
    return this.#projectId;
  }
}
