export { cluster } from "./cluster.ts"
export type { Cluster, ClusterOptions, Condition } from "./cluster-options.ts"
export {
  type Crash,
  type CrashPointOptions,
  type CrashReport,
  type CrashRun,
  crashPoints,
  type Play,
  type Played,
  resourceIn,
  type Scenario,
  writerOf,
} from "./crash-points.ts"
