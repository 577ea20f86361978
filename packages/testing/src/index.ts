export { cluster } from "./cluster.ts"
export type { Cluster, ClusterOptions, Condition } from "./cluster-options.ts"
export { type Crash, type CrashPointOptions, type CrashReport, crashPoints, type Play, type Played, type Scenario } from "./crash-points.ts"
export { resourceIn, writerOf } from "./writers.ts"
