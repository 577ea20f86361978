// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const controllerRevisions: Descriptor<ControllerRevision> = descriptorFromRow("apps/v1 ControllerRevision controllerrevisions controllerrevision   n cdDglpuw")
export const daemonSets: Descriptor<DaemonSet> = descriptorFromRow("apps/v1 DaemonSet daemonsets daemonset ds all n cdDglpuw status::gpu")
export const deployments: Descriptor<Deployment> = descriptorFromRow("apps/v1 Deployment deployments deployment deploy all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu")
export const replicaSets: Descriptor<ReplicaSet> = descriptorFromRow("apps/v1 ReplicaSet replicasets replicaset rs all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu")
export const statefulSets: Descriptor<StatefulSet> = descriptorFromRow("apps/v1 StatefulSet statefulsets statefulset sts all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu")
