/** What Azure Resource Manager publishes for each principal in a subscription. */
export const ARM_BUCKETS = {
  reads: { size: 250, refillPerSecond: 25 },
  writes: { size: 200, refillPerSecond: 10 },
  deletes: { size: 200, refillPerSecond: 10 },
};
