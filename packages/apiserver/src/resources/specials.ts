import { type Descriptor, deepEqual, type KubeObject } from "@pilothouse/api"
import * as admission from "@pilothouse/api/admissionregistration/v1"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { apiServices } from "@pilothouse/api/apiregistration/v1"
import * as apps from "@pilothouse/api/apps/v1"
import * as autoscalingV1 from "@pilothouse/api/autoscaling/v1"
import * as autoscalingV2 from "@pilothouse/api/autoscaling/v2"
import * as batch from "@pilothouse/api/batch/v1"
import { certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import * as core from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import * as events from "@pilothouse/api/events/v1"
import * as flowcontrol from "@pilothouse/api/flowcontrol/v1"
import * as networking from "@pilothouse/api/networking/v1"
import { runtimeClasses } from "@pilothouse/api/node/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import * as rbac from "@pilothouse/api/rbac/v1"
import * as dynamic from "@pilothouse/api/resource/v1"
import { priorityClasses } from "@pilothouse/api/scheduling/v1"
import * as storage from "@pilothouse/api/storage/v1"
import { horizontalPodAutoscaler, horizontalPodAutoscalerV1 } from "./autoscaling.ts"
import { certificateSigningRequest } from "./certificate-signing-request.ts"
import { configMap } from "./config-map.ts"
import { cronJob } from "./cronjob.ts"
import { daemonSet } from "./daemonset.ts"
import { deployment } from "./deployment.ts"
import { coreEvent, event } from "./event.ts"
import { job } from "./job.ts"
import { lease } from "./lease.ts"
import { limitRange } from "./limit-range.ts"
import { namespace } from "./namespace.ts"
import { endpointSlice, endpoints, ingress, networkPolicy } from "./networking.ts"
import { node } from "./node.ts"
import { pod } from "./pod.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"
import { podDisruptionBudget, priorityClass } from "./policy.ts"
import { role, roleBinding } from "./rbac.ts"
import { replicaSet } from "./replicaset.ts"
import { replicationController } from "./replicationcontroller.ts"
import type { Special } from "./resource.ts"
import { resourceClaim, resourceClaimTemplate } from "./resource-claim.ts"
import { resourceQuota } from "./resource-quota.ts"
import { secret } from "./secret.ts"
import { service } from "./service.ts"
import { statefulSet } from "./statefulset.ts"
import { persistentVolume, persistentVolumeClaim, storageClass } from "./volumes.ts"

/** Both kinds of it have no spec: the list is all there is. */
type WebhookConfiguration = KubeObject & { readonly webhooks?: readonly unknown[] }

type Row = readonly [Descriptor, Special]

const resourceSlice: Special<dynamic.ResourceSlice> = {
  deleteAnswer: "object",
  generation: "spec",
  fields: { "spec.nodeName": ({ spec }) => spec.nodeName ?? "", "spec.driver": ({ spec }) => spec.driver },
}

const podTemplate: Special<core.PodTemplate> = {
  deleteAnswer: "object",
  // Its template is all there is of it.
  generation: (object, old) => !deepEqual(object.template, old.template),
  defaults: ({ template }) => defaultTemplate(template),
}

/** Who writes must say what was read. */
const conditional: Special = { unconditionalUpdate: false }
const withGeneration: Special = { generation: "spec" }
const answersObject: Special = { deleteAnswer: "object" }

/** Every kind that is not just what its schema says. */
export function specials(): readonly Row[] {
  return [...coreKinds(), ...workloads(), ...otherKinds(), ...plainKinds()]
}

function coreKinds(): readonly Row[] {
  return [
    row(core.pods, pod),
    row(core.namespaces, namespace),
    row(core.nodes, node),
    row(core.services, service),
    row(core.endpoints, endpoints),
    row(core.configMaps, configMap),
    row(core.secrets, secret),
    row(core.events, coreEvent),
    row(events.events, event()),
    row(core.persistentVolumes, persistentVolume),
    row(core.persistentVolumeClaims, persistentVolumeClaim),
    row(core.limitRanges, limitRange),
    row(core.replicationControllers, replicationController),
    row(core.serviceAccounts, answersObject),
    row(core.resourceQuotas, resourceQuota),
    row(core.podTemplates, podTemplate),
  ]
}

function workloads(): readonly Row[] {
  return [
    row(apps.deployments, deployment),
    row(apps.replicaSets, replicaSet),
    row(apps.statefulSets, statefulSet),
    row(apps.daemonSets, daemonSet),
    row(batch.jobs, job),
    row(batch.cronJobs, cronJob),
    row(autoscalingV1.horizontalPodAutoscalers, horizontalPodAutoscalerV1()),
    row(autoscalingV2.horizontalPodAutoscalers, horizontalPodAutoscaler),
    row(podDisruptionBudgets, podDisruptionBudget),
    row(priorityClasses, priorityClass),
  ]
}

function otherKinds(): readonly Row[] {
  return [
    row(leases, lease),
    row(endpointSlices, endpointSlice),
    row(networking.ingresses, ingress),
    row(networking.ingressClasses, withGeneration),
    row(networking.networkPolicies, networkPolicy),
    row(rbac.roles, role),
    row(rbac.clusterRoles, role),
    row(rbac.roleBindings, roleBinding),
    row(rbac.clusterRoleBindings, roleBinding),
    row(certificateSigningRequests, certificateSigningRequest),
    row(storage.storageClasses, storageClass),
    row(runtimeClasses, { ...conditional, createOnUpdate: true }),
  ]
}

/** Kinds that nothing here acts on: they differ from the rest by a word or two. */
function plainKinds(): readonly Row[] {
  const webhooks: Special<WebhookConfiguration> = { ...conditional, generation: (object, old) => !deepEqual(object.webhooks, old.webhooks) }
  const policies = { ...conditional, ...withGeneration } satisfies Special
  return [
    row<WebhookConfiguration>(admission.mutatingWebhookConfigurations, webhooks),
    row<WebhookConfiguration>(admission.validatingWebhookConfigurations, webhooks),
    row(admission.validatingAdmissionPolicies, policies),
    row(admission.validatingAdmissionPolicyBindings, policies),
    row(customResourceDefinitions, policies),
    row(apiServices, conditional),
    row(flowcontrol.flowSchemas, withGeneration),
    row(flowcontrol.priorityLevelConfigurations, withGeneration),
    row(storage.csiNodes, { ...conditional, ...answersObject }),
    row(storage.csiDrivers, { ...conditional, ...answersObject }),
    row(storage.csiStorageCapacities, conditional),
    row(storage.volumeAttachments, { ...conditional, ...answersObject }),
    row(storage.volumeAttributesClasses, answersObject),
    row(dynamic.resourceClaims, resourceClaim),
    row(dynamic.resourceClaimTemplates, resourceClaimTemplate),
    row(dynamic.deviceClasses, { ...answersObject, ...withGeneration }),
    row<dynamic.ResourceSlice>(dynamic.resourceSlices, resourceSlice),
  ]
}

/** A row is checked here against the type of its kind; the table then holds kinds of all types. */
function row<T extends KubeObject>(descriptor: Descriptor<T>, special: Special<T> | Special): Row {
  return [descriptor as Descriptor, special as unknown as Special]
}
