export { NAMESPACE, TestCluster } from './test-cluster.ts';
export { TestLeader, type TestLeaderOptions } from './test-leader.ts';
