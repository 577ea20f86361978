import type { DaemonSet, Deployment, DeploymentSpec, ReplicaSet, StatefulSet } from "@pilothouse/api/apps/v1"
import type { CronJob, CronJobSpec, Job, JobSpec } from "@pilothouse/api/batch/v1"
import type { PodTemplateSpec } from "@pilothouse/api/core/v1"
import { type MetadataOptions, namespacedMetadata } from "./metadata.ts"

/** Options of workloads with a pod template. */
export interface WorkloadOptions<Kind extends { readonly spec?: object; readonly status?: object }> extends MetadataOptions {
  readonly image?: string
  readonly spec?: Partial<NonNullable<Kind["spec"]>>
  readonly status?: Kind["status"]
}

/** Options of workloads with replicas. */
export interface ReplicatedOptions<Kind extends { readonly spec?: object; readonly status?: object }> extends WorkloadOptions<Kind> {
  readonly replicas?: number
}

/** A Deployment of pods labelled `app: <name>`, 1 replica unless given. */
export function aDeployment(name: string, options: ReplicatedOptions<Deployment> = {}): Deployment {
  return { apiVersion: "apps/v1", kind: "Deployment", ...replicated(name, options) }
}

/** A ReplicaSet of pods labelled `app: <name>`, 1 replica unless given. */
export function aReplicaSet(name: string, options: ReplicatedOptions<ReplicaSet> = {}): ReplicaSet {
  return { apiVersion: "apps/v1", kind: "ReplicaSet", ...replicated(name, options) }
}

/** A StatefulSet of pods labelled `app: <name>` under the Service of the same name, 1 replica unless given. */
export function aStatefulSet(name: string, options: ReplicatedOptions<StatefulSet> = {}): StatefulSet {
  const { spec, ...rest } = replicated(name, options)
  return { apiVersion: "apps/v1", kind: "StatefulSet", ...rest, spec: { serviceName: name, ...spec } }
}

/** A DaemonSet of pods labelled `app: <name>`. */
export function aDaemonSet(name: string, options: WorkloadOptions<DaemonSet> = {}): DaemonSet {
  const { spec, status } = options
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: namespacedMetadata(name, options),
    spec: { ...selectorAndTemplate(name, options), ...spec },
    ...(status && { status }),
  }
}

/** A Job of one pod that is not restarted. */
export function aJob(name: string, options: WorkloadOptions<Job> = {}): Job {
  const { spec, status } = options
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: namespacedMetadata(name, options),
    spec: { ...jobSpec(options), ...spec },
    ...(status && { status }),
  }
}

/** Options of `aCronJob`. */
export interface CronJobOptions extends WorkloadOptions<CronJob> {
  /** Every minute unless given. */
  readonly schedule?: string
}

/** A CronJob whose Jobs are those of `aJob`. */
export function aCronJob(name: string, options: CronJobOptions = {}): CronJob {
  const { schedule = "* * * * *", spec, status } = options
  const whole: CronJobSpec = { schedule, jobTemplate: { spec: jobSpec(options) }, ...spec }
  return { apiVersion: "batch/v1", kind: "CronJob", metadata: namespacedMetadata(name, options), spec: whole, ...(status && { status }) }
}

function replicated<Status extends object>(
  name: string,
  options: MetadataOptions & {
    readonly image?: string
    readonly replicas?: number
    readonly spec?: Partial<DeploymentSpec> & object
    readonly status?: Status
  },
) {
  const { replicas = 1, spec, status } = options
  return {
    metadata: namespacedMetadata(name, options),
    spec: { replicas, ...selectorAndTemplate(name, options), ...spec },
    ...(status && { status }),
  }
}

function selectorAndTemplate(name: string, options: { readonly image?: string }) {
  const labels = { app: name }
  return { selector: { matchLabels: labels }, template: { metadata: { labels }, ...podSpec(options) } }
}

function jobSpec(options: { readonly image?: string }): JobSpec {
  const { spec } = podSpec(options)
  return { template: { spec: { ...spec, restartPolicy: "Never" } } }
}

function podSpec({ image = "example.com/app:1" }: { readonly image?: string }): PodTemplateSpec & { readonly spec: object } {
  return { spec: { containers: [{ name: "app", image }] } }
}
