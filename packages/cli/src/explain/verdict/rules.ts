import { type Descriptor, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { namespaces, nodes, persistentVolumeClaims, pods, replicationControllers, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { claimVerdict } from "./claims.ts"
import { anyVerdict, autoscalerVerdict, namespaceVerdict, nodeVerdict, quotaVerdict, serviceVerdict } from "./cluster-objects.ts"
import type { ClusterView } from "./cluster-view.ts"
import { podVerdict } from "./pod-trouble.ts"
import { progressing, type Verdict } from "./verdict.ts"
import { cronJobVerdict, daemonSetVerdict, deploymentVerdict, jobVerdict, replicasVerdict } from "./workloads.ts"

type Rule<T extends KubeObject> = (object: T, view: ClusterView) => Verdict

interface Row {
  readonly of: Descriptor
  readonly judge: Rule<KubeObject>
  /** Whether the object itself says all. */
  readonly isAlone: boolean
}

function row<T extends KubeObject>(of: Descriptor<T>, judge: Rule<T>, { isAlone = false } = {}): Row {
  return { of, judge: judge as unknown as Rule<KubeObject>, isAlone }
}

/** Kinds with a rule of their own, in the order in which a list shows those of the same health: causes after what suffers from them. */
const rows: readonly Row[] = [
  row(nodes, nodeVerdict, { isAlone: true }),
  row(namespaces, namespaceVerdict, { isAlone: true }),
  row(deployments, deploymentVerdict),
  row(statefulSets, replicasVerdict),
  row(daemonSets, daemonSetVerdict),
  row(jobs, jobVerdict),
  row(cronJobs, cronJobVerdict),
  row(services, serviceVerdict),
  row(persistentVolumeClaims, claimVerdict),
  row(horizontalPodAutoscalers, autoscalerVerdict),
  row(resourceQuotas, quotaVerdict, { isAlone: true }),
  row(replicaSets, replicasVerdict),
  row(replicationControllers, replicasVerdict),
  row(pods, podVerdict),
]

const rules: ReadonlyMap<string, Row> = new Map(rows.map((one) => [resourceNameOf(one.of), one]))

/** The kinds with a rule, for lists of what is not well. */
export const judgedKinds: readonly Descriptor[] = rows.map(({ of }) => of)

/** Reports whether the verdict on a kind needs more than the object itself. */
export function needsView(of: Pick<Descriptor, "group" | "plural">): boolean {
  return rules.get(resourceNameOf(of))?.isAlone === false
}

/** Returns how an object is, and the one cause where it is not well. Pure. */
export function verdictOf(of: Pick<Descriptor, "group" | "plural">, object: KubeObject, view: ClusterView): Verdict {
  const { judge = anyVerdict } = rules.get(resourceNameOf(of)) ?? {}
  const verdict = judge(object, view)
  const { deletionTimestamp, finalizers = [] } = object.metadata
  if (!deletionTimestamp || rules.get(resourceNameOf(of))?.of === pods || verdict.health === "degraded") return verdict
  return finalizers?.length ? progressing(`deleted, and held by ${finalizers.join(", ")}`) : progressing("deleted")
}
