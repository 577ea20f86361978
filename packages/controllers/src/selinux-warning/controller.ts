import { deepEqual, isPodTerminal, keyOf } from "@pilothouse/api"
import { type PersistentVolume, type Pod, persistentVolumeClaims, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { type CSIDriver, csiDrivers } from "@pilothouse/api/storage/v1"
import { type Change, type Controller, controller, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { createMetrics, gaugeFamily } from "../shared/metric-families.ts"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import { type Conflict, messageOf } from "./conflicts.ts"
import { LabeledVolumes, noVolumes, type RememberPodVolumes } from "./memory.ts"
import { type PodVolumes, podVolumes } from "./volumes.ts"

const name = "selinux-warning-controller"

/**
 * Warns of pods that have a volume with different SELinux labels, or with different ways to apply them: once kubelets mount volumes with a label, only
 * one such pod can run on a node. Watches Pods, claims, volumes and CSIDrivers, wherever the pods run; writes nothing but events, each conflict once.
 */
export function selinuxWarningController({ metrics }: { readonly metrics?: Metrics } = {}): Controller {
  const memory = new LabeledVolumes(metrics && createMetrics(metrics, selinuxWarningFamilies).conflicts)
  return controller(name, {
    for: pods,
    eventSource: "selinux_warning",
    predicate: (change) => concernsVolumes(change as Change<Pod>),
    watches: [
      watch(persistentVolumeClaims, "the claim of the pod was bound", (claim, read) => read.byIndex(podsByClaim, keyOf(claim)).map(keyOf), {
        predicate: (change) =>
          change.type !== "updated" ||
          !deepEqual(change.old.spec, change.object.spec) ||
          change.old.status?.phase !== change.object.status?.phase,
      }),
      watch(persistentVolumes, "the volume of the pod was bound", podsOfVolume, {
        predicate: (change) => change.type !== "updated" || change.old.spec?.claimRef?.uid !== change.object.spec?.claimRef?.uid,
      }),
      watch(
        csiDrivers,
        "the driver of its volume supports labels, or does not any more",
        ({ metadata }) => memory.podsOfDriver(metadata.name ?? ""),
        {
          predicate: changesSupport,
        },
      ),
    ],
    indexes: [podsByClaim],
    maxConcurrentReconciles: 1,
    executors: memory.executors(),
    observe: (key, read) => observe(key, read, memory),
    decide,
  })
}

function podsOfVolume({ spec }: PersistentVolume, read: Reader): readonly string[] {
  const { namespace, name: claim } = spec?.claimRef ?? {}
  return claim === undefined ? [] : read.byIndex(podsByClaim, `${namespace}/${claim}`).map(keyOf)
}

/** What a pod mounts, and with which label, never changes: until it has finished. */
function concernsVolumes(change: Change<Pod>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  return change.old.metadata.uid !== change.object.metadata.uid || isPodTerminal(change.old) !== isPodTerminal(change.object)
}

function changesSupport(change: Change<CSIDriver>): boolean {
  const supports = ({ spec }: CSIDriver) => spec?.seLinuxMount === true
  return change.type === "updated" ? supports(change.old) !== supports(change.object) : supports(change.object)
}

export interface Observed {
  readonly key: string
  /** Undefined when it has finished or is gone. */
  readonly pod: Pod | undefined
  readonly before: PodVolumes
  readonly volumes: PodVolumes
  /** The conflicts that other pods have with it now, with both pods. */
  readonly conflicts: readonly (Conflict & { readonly about: Pod })[]
}

function observe(key: string, read: Reader, memory: LabeledVolumes): Observed {
  const found = read.get(pods, key)
  const pod = found !== undefined && isPodTerminal(found) ? undefined : found
  const before = memory.of(key)
  const volumes = pod === undefined ? noVolumes : podVolumes(pod, read)
  const isNew = (volume: PodVolumes["labeled"][number]) => !before.labeled.some((one) => deepEqual(one, volume))
  const conflicts = volumes.labeled.filter(isNew).flatMap((volume) => memory.conflictsOf(key, volume))
  const withPods = conflicts.flatMap((conflict) => {
    const about = read.get(pods, conflict.pod)
    return about === undefined ? [] : [{ ...conflict, about }]
  })
  return { key, pod, before, volumes, conflicts: withPods }
}

/** Reports what is new, and remembers it. */
export function decide({ key, pod, before, volumes, conflicts }: Observed): Plan {
  if (deepEqual(before, volumes)) return plan().nothing("its volumes are as they were")
  const remember: RememberPodVolumes = {
    do: "remember-pod-volumes",
    to: `the volumes of ${key}`,
    pod: key,
    volumes,
    reason: "its volumes are known",
  }
  const built = plan().operation(remember)
  for (const volume of volumes.ambiguous.filter((one) => !before.ambiguous.includes(one))) {
    const message = `Volume "${volume}" is mounted twice with different SELinux labels inside this pod`
    if (pod !== undefined) built.event(pod, "Warning", "MultipleSELinuxLabels", message)
  }
  for (const conflict of conflicts) built.event(conflict.about, "Normal", `${conflict.property}Conflict`, messageOf(conflict))
  return built
}

export const selinuxWarningFamilies = {
  conflicts: gaugeFamily(
    "selinux_warning_controller_selinux_volume_conflict",
    ["property", "pod1_namespace", "pod1_name", "pod1_value", "pod2_namespace", "pod2_name", "pod2_value"],
    "Two pods that have a volume with different labels or policies: 1",
  ),
}

/** Off by default, as upstream: it is for clusters whose nodes have SELinux. */
export const selinuxWarningDescriptor = descriptor({
  name,
  onByDefault: false,
  create: (_set, { metrics }) => selinuxWarningController({ metrics }),
})
