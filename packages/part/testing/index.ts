export { NAMESPACE, TestCluster } from './test-cluster.ts';
export { TestLeader } from './test-leader.ts';
