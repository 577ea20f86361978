import type { Descriptor, KubeObject } from "@pilothouse/api"
import * as admission from "@pilothouse/api/admissionregistration/v1"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { apiServices } from "@pilothouse/api/apiregistration/v1"
import { storageVersions } from "@pilothouse/api/apiserverinternal/v1alpha1"
import * as apps from "@pilothouse/api/apps/v1"
import * as autoscalingV1 from "@pilothouse/api/autoscaling/v1"
import * as autoscalingV2 from "@pilothouse/api/autoscaling/v2"
import * as batch from "@pilothouse/api/batch/v1"
import { certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { clusterTrustBundles, podCertificateRequests } from "@pilothouse/api/certificates/v1beta1"
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
import { resourcePoolStatusRequests } from "@pilothouse/api/resource/v1alpha3"
import { priorityClasses } from "@pilothouse/api/scheduling/v1"
import { podGroups } from "@pilothouse/api/scheduling/v1alpha2"
import * as storage from "@pilothouse/api/storage/v1"
import { storageVersionMigrations } from "@pilothouse/api/storagemigration/v1beta1"
import { customResourceDefinition } from "../customresources/definition/strategy.ts"
import { configMap } from "../resources/config-map.ts"
import { csiDriver, csiStorageCapacity, volumeAttachment, volumeAttributesClass } from "../resources/csi.ts"
import { deviceClass } from "../resources/devices/device-class.ts"
import { resourceClaim, resourceClaimTemplate } from "../resources/devices/resource-claim.ts"
import { resourcePoolStatusRequest } from "../resources/devices/resource-pool-status-request.ts"
import { resourceSlice } from "../resources/devices/resource-slice.ts"
import { coreEvent, event } from "../resources/event.ts"
import { lease } from "../resources/lease.ts"
import { namespace } from "../resources/namespace.ts"
import { endpointSlice, endpoints, ingress, ingressClass, networkPolicy } from "../resources/network/networking.ts"
import { service } from "../resources/network/service.ts"
import { ipAddress, serviceCidr } from "../resources/network/service-range.ts"
import { node } from "../resources/node.ts"
import {
  mutatingPolicy,
  mutatingPolicyBinding,
  mutatingWebhooks,
  validatingPolicy,
  validatingPolicyBinding,
  validatingWebhooks,
  type WebhookConfiguration,
} from "../resources/policy/admission-registration.ts"
import { apiService } from "../resources/policy/api-service.ts"
import { horizontalPodAutoscaler, horizontalPodAutoscalerV1 } from "../resources/policy/autoscaling.ts"
import { certificateSigningRequest } from "../resources/policy/certificate-signing-request.ts"
import { clusterTrustBundle } from "../resources/policy/cluster-trust-bundle.ts"
import { flowSchema, priorityLevel } from "../resources/policy/flow-control.ts"
import { limitRange } from "../resources/policy/limit-range.ts"
import { podCertificateRequest } from "../resources/policy/pod-certificate-request.ts"
import { podDisruptionBudget, priorityClass } from "../resources/policy/policy.ts"
import { role, roleBinding } from "../resources/policy/rbac.ts"
import { resourceQuota } from "../resources/policy/resource-quota.ts"
import type { ResourceStrategy } from "../resources/resource.ts"
import { runtimeClass } from "../resources/runtime-class.ts"
import { secret } from "../resources/secret.ts"
import { storageVersion } from "../resources/storage-version.ts"
import { storageVersionMigration } from "../resources/storage-version-migration.ts"
import { persistentVolume, persistentVolumeClaim, storageClass } from "../resources/volumes.ts"
import { controllerRevision } from "../resources/workloads/controller-revision.ts"
import { cronJob } from "../resources/workloads/cronjob.ts"
import { daemonSet } from "../resources/workloads/daemonset.ts"
import { deployment } from "../resources/workloads/deployment.ts"
import { job } from "../resources/workloads/job.ts"
import { pod } from "../resources/workloads/pod.ts"
import { podGroup } from "../resources/workloads/pod-group.ts"
import { podTemplate } from "../resources/workloads/pod-template.ts"
import { replicaSet } from "../resources/workloads/replicaset.ts"
import { replicationController } from "../resources/workloads/replicationcontroller.ts"
import { statefulSet } from "../resources/workloads/statefulset.ts"

type Row = readonly [Descriptor, ResourceStrategy]

/** An update must name the resourceVersion that was read (AllowUnconditionalUpdate is false upstream). */
const conditional: ResourceStrategy = { unconditionalUpdate: false }
const answersObject: ResourceStrategy = { deleteAnswer: "object" }

/** Every kind that is not just what its schema says. */
export function strategies(): readonly Row[] {
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
    row(apps.controllerRevisions, controllerRevision),
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
    row(networking.ingressClasses, ingressClass),
    row(networking.networkPolicies, networkPolicy),
    row(rbac.roles, role),
    row(rbac.clusterRoles, role),
    row(rbac.roleBindings, roleBinding),
    row(rbac.clusterRoleBindings, roleBinding),
    row(certificateSigningRequests, certificateSigningRequest),
    row(storage.storageClasses, storageClass),
    row(runtimeClasses, runtimeClass),
    row(networking.ipAddresses, ipAddress),
    row(networking.serviceCIDRs, serviceCidr),
  ]
}

/** Kinds that nothing here acts on: they differ from the rest by a word or two. */
function plainKinds(): readonly Row[] {
  return [
    row<WebhookConfiguration>(admission.mutatingWebhookConfigurations, mutatingWebhooks),
    row<WebhookConfiguration>(admission.validatingWebhookConfigurations, validatingWebhooks),
    row(admission.validatingAdmissionPolicies, validatingPolicy),
    row(admission.validatingAdmissionPolicyBindings, validatingPolicyBinding),
    row(admission.mutatingAdmissionPolicies, mutatingPolicy),
    row(admission.mutatingAdmissionPolicyBindings, mutatingPolicyBinding),
    row(customResourceDefinitions, customResourceDefinition),
    row(apiServices, apiService),
    row(flowcontrol.flowSchemas, flowSchema),
    row(flowcontrol.priorityLevelConfigurations, priorityLevel),
    row(storage.csiNodes, { ...conditional, ...answersObject }),
    row(storage.csiDrivers, csiDriver),
    row(storage.csiStorageCapacities, csiStorageCapacity),
    row(storage.volumeAttachments, volumeAttachment),
    row(storage.volumeAttributesClasses, volumeAttributesClass),
    row(dynamic.resourceClaims, resourceClaim),
    row(dynamic.resourceClaimTemplates, resourceClaimTemplate),
    row(dynamic.deviceClasses, deviceClass),
    row<dynamic.ResourceSlice>(dynamic.resourceSlices, resourceSlice),
    row(clusterTrustBundles, clusterTrustBundle),
    row(podCertificateRequests, podCertificateRequest),
    row(storageVersionMigrations, storageVersionMigration),
    row(storageVersions, storageVersion),
    row(resourcePoolStatusRequests, resourcePoolStatusRequest),
    row(podGroups, podGroup),
  ]
}

/** A row is checked here against the type of its kind; the table then holds kinds of all types. */
function row<T extends KubeObject>(descriptor: Descriptor<T>, strategy: ResourceStrategy<T> | ResourceStrategy): Row {
  return [descriptor as Descriptor, strategy as unknown as ResourceStrategy]
}
