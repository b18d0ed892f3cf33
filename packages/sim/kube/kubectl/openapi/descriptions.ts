/** What `kubectl explain` says about the fields that every object has. */
export const STANDARD_FIELDS = {
  apiVersion: 'The group and the version in which this object is written.',
  kind: 'What sort of object this is.',
  metadata: 'Its name and whatever else every object has, of whatever sort it is.',
  spec: 'What is wanted.',
  status: 'What there is, as its controller last saw it.',
  items: 'The objects of the list.',
} as const;

/** What `kubectl explain` says about the built-in kinds. */
const KINDS: Readonly<Record<string, string>> = {
  ClusterRole: 'What may be done, in every namespace and outside of them.',
  ClusterRoleBinding: 'Who may do, everywhere, what a role allows.',
  ConfigMap: 'Settings that pods read as files or variables.',
  CustomResourceDefinition: 'A sort of object that the API did not know before.',
  Deployment: 'How many pods of one make there shall be, and how new ones take the place of old ones.',
  Endpoints: 'The addresses behind a service, in the older form that has no room for many. See EndpointSlice.',
  EndpointSlice: 'Some of the addresses behind a service, all of one family.',
  Event: 'Something that happened to an object, for people to read. It is forgotten after a while.',
  Lease: 'A claim that its holder renews as long as it lives. A controller that wants to lead holds one.',
  Namespace: 'A room for names: what is in it goes when it goes.',
  Node: 'A machine that pods run on.',
  Pod: 'Containers that run together on one node and share an address.',
  Role: 'What may be done in one namespace.',
  RoleBinding: 'Who may do, in one namespace, what a role allows.',
  Secret: 'Settings that not every user should read.',
  Service: 'A name and an address for a set of pods that come and go.',
  ServiceAccount: 'Who a pod is when it talks to the API.',
};

export function kindDescription(kind: string): string | undefined {
  return KINDS[kind];
}
