export { type Cluster, type ClusterOptions, cluster } from "./cluster.ts"
export { type Crash, type CrashPointOptions, type CrashReport, crashPoints, type Play, type Played, type Scenario } from "./crash-points.ts"
