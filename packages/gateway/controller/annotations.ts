/** How the annotations begin that the gateways read and write. */
export const ANNOTATION_PREFIX = 'gateway.fairlead.dev/';

/** The L2 ports a Service was given, by id, separated by commas: what a crash before the status was written leaves. */
export const L2_PORTS_ANNOTATION = `${ANNOTATION_PREFIX}l2-ports`;

/**
 * The L4 ports it was given on them, such as `TCP/80,UDP/53`. A Service's own ports do not tell: they may have been
 * edited since, and what it was given stays its own until it is given something else.
 */
export const L4_PORTS_ANNOTATION = `${ANNOTATION_PREFIX}l4-ports`;

/** `exclusive` keeps other Services off this one's address; anything but `shared` and `exclusive` is refused. */
export const SHARING_ANNOTATION = `${ANNOTATION_PREFIX}sharing`;

/** `pods`, `node-ports` or `cluster-ips`, where the Service wants another kind of backends than its pool has. */
export const BACKENDS_ANNOTATION = `${ANNOTATION_PREFIX}backends`;

/** How the annotations of ch-k8s-lbaas begin, which may have served a Service before us. */
export const FORMER_PREFIX = 'cah-loadbalancer.k8s.cloudandheat.com/';

/** The L2 port that ch-k8s-lbaas gave a Service, for all its ports: read as long as there is no record of ours. */
export const FORMER_PORT_ANNOTATION = `${FORMER_PREFIX}inbound-port`;
