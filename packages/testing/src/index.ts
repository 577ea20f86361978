export { type Cluster, type ClusterOptions, cluster } from "./cluster.ts"
export { type CrashPointOptions, type CrashReport, crashPoints, type Scenario } from "./crash-points.ts"
