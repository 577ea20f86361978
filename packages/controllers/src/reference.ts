import type { Flag } from "@pilothouse/runtime"
import { formatDuration } from "@pilothouse/seams"
import { attachDetachFamilies } from "./attach-detach/controller.ts"
import { trustBundleFamilies } from "./cluster-trust-bundle-publisher/controller.ts"
import { controllers } from "./controllers.ts"
import { cronJobFamilies } from "./cronjob/metrics.ts"
import { daemonSetFamilies } from "./daemonset/metrics.ts"
import { endpointSliceFamilies } from "./endpointslice/metrics.ts"
import { mirroringFamilies } from "./endpointslice-mirroring/metrics.ts"
import { ephemeralVolumeFamilies } from "./ephemeral-volume/metrics.ts"
import { garbageCollectorFamilies } from "./garbage-collector/metrics.ts"
import { horizontalPodAutoscalerFamilies } from "./horizontal-pod-autoscaler/metrics.ts"
import { jobFamilies } from "./job/metrics.ts"
import { nodeIpamFamilies } from "./node-ipam/metrics.ts"
import { nodeLifecycleFamilies } from "./node-lifecycle/metrics.ts"
import { persistentVolumeFamilies } from "./persistent-volume/metrics.ts"
import { podGcFamilies } from "./pod-gc/metrics.ts"
import { replicaSetFamilies } from "./replicaset/metrics.ts"
import { resourceClaimFamilies } from "./resource-claim/metrics.ts"
import { poolStatusFamilies } from "./resource-pool-status-request/controller.ts"
import { rootCaFamilies } from "./root-ca-publisher/controller.ts"
import { selinuxWarningFamilies } from "./selinux-warning/controller.ts"
import type { KubeControllerDescriptor } from "./shared/descriptor.ts"
import type { MetricFamily } from "./shared/metric-families.ts"
import { statefulSetFamilies } from "./statefulset/metrics.ts"
import { taintEvictionFamilies } from "./taint-eviction/metrics.ts"
import { ttlAfterFinishedFamilies } from "./ttl-after-finished/controller.ts"

/** The metric families that controllers have besides those of every controller, in the order of their names. */
export const controllerMetricFamilies: readonly MetricFamily[] = [
  trustBundleFamilies,
  cronJobFamilies,
  daemonSetFamilies,
  endpointSliceFamilies,
  attachDetachFamilies,
  mirroringFamilies,
  ephemeralVolumeFamilies,
  garbageCollectorFamilies,
  horizontalPodAutoscalerFamilies,
  jobFamilies,
  nodeIpamFamilies,
  nodeLifecycleFamilies,
  persistentVolumeFamilies,
  podGcFamilies,
  replicaSetFamilies,
  resourceClaimFamilies,
  poolStatusFamilies,
  rootCaFamilies,
  selinuxWarningFamilies,
  statefulSetFamilies,
  taintEvictionFamilies,
  ttlAfterFinishedFamilies,
].flatMap((families): readonly MetricFamily[] => Object.values(families))

/** Returns the page docs/reference/controllers.md: every controller, its names and its flags, from the table that starts them. */
export function controllersReference(): string {
  const rows = controllers.map(({ name, aliases, onByDefault, needs }) => {
    const cells = [code(name), aliases.map(code).join(", "), onByDefault ? "yes" : "no", needs.map(code).join(", ")]
    return `| ${cells.join(" | ")} |`
  })
  const flags = controllers.flatMap((entry) => Object.entries(entry.flags).map(([name, flag]) => flagRow(entry, name, flag)))
  return [
    "# The controllers and their flags",
    "",
    "Names, aliases and flags are those of kube-controller-manager: `pilothouse run --controllers=*,-job --concurrent-deployment-syncs=10`. In a test: `cluster({ controllers, settings })`. `npm run reference` writes this page, and a test keeps it equal to the table in packages/controllers.",
    "",
    "| controller | aliases | on by default | needs |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "| flag | default | of | what it does |",
    "| --- | --- | --- | --- |",
    ...flags,
    "",
    "## Metrics",
    "",
    "The metrics of single controllers; [metrics.md](metrics.md) lists those of every controller. Names and labels are those of kube-controller-manager 1.36.",
    "",
    "| metric | type | labels | meaning |",
    "| --- | --- | --- | --- |",
    ...controllerMetricFamilies.map(({ name, type, labels, help }) => `| ${code(name)} | ${type} | ${labels.join(", ")} | ${help} |`),
    "",
  ].join("\n")
}

function flagRow(entry: KubeControllerDescriptor, name: string, { kind, default: fallback, about }: Flag): string {
  const shown = kind === "duration" ? formatDuration(Number(fallback)) : JSON.stringify(fallback)
  return `| ${code(`--${name}`)} | ${code(shown)} | ${entry.name} | ${about} |`
}

function code(text: string): string {
  return `\`${text}\``
}
