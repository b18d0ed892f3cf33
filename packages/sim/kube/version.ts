/** The version of Kubernetes that is simulated. */
export const KUBERNETES_VERSION = { major: 1, minor: 36, patch: 3 };

export function versionText(): string {
  const { major, minor, patch } = KUBERNETES_VERSION;
  return `v${major}.${minor}.${patch}`;
}
