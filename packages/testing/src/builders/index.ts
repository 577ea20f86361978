export {
  aClaim,
  aConfigMap,
  aNamespace,
  aNode,
  aPod,
  aSecret,
  aService,
  aVolume,
  type ClaimOptions,
  type ConfigMapOptions,
  type NodeOptions,
  type PodOptions,
  type SecretOptions,
  type ServiceOptions,
  type VolumeOptions,
} from "./core.ts"
export type { MetadataOptions } from "./metadata.ts"
export {
  aCronJob,
  aDaemonSet,
  aDeployment,
  aJob,
  aReplicaSet,
  aStatefulSet,
  type CronJobOptions,
  type ReplicatedOptions,
  type WorkloadOptions,
} from "./workloads.ts"
