/** How long a single request may take, before it is repeated within the deadline of its call: `deadlines` can say more. */
export const REQUEST_DEADLINE_MILLISECONDS = 10_000;
export const READ_DEADLINE_MILLISECONDS = 60_000;
/** Azure is sometimes minutes at a load balancer. */
export const WRITE_DEADLINE_MILLISECONDS = 300_000;
