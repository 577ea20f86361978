// Written by `npm run generate` (tools/generate/kind-map.ts).
import type * as admissionregistrationV1 from "./admissionregistration/v1.types.ts"
import type * as apiextensionsV1 from "./apiextensions/v1.types.ts"
import type * as apiregistrationV1 from "./apiregistration/v1.types.ts"
import type * as apiserverinternalV1alpha1 from "./apiserverinternal/v1alpha1.types.ts"
import type * as appsV1 from "./apps/v1.types.ts"
import type * as authenticationV1 from "./authentication/v1.types.ts"
import type * as authorizationV1 from "./authorization/v1.types.ts"
import type * as autoscalingV1 from "./autoscaling/v1.types.ts"
import type * as autoscalingV2 from "./autoscaling/v2.types.ts"
import type * as batchV1 from "./batch/v1.types.ts"
import type * as certificatesV1 from "./certificates/v1.types.ts"
import type * as certificatesV1beta1 from "./certificates/v1beta1.types.ts"
import type * as coordinationV1 from "./coordination/v1.types.ts"
import type * as coreV1 from "./core/v1.types.ts"
import type * as discoveryV1 from "./discovery/v1.types.ts"
import type * as eventsV1 from "./events/v1.types.ts"
import type * as flowcontrolV1 from "./flowcontrol/v1.types.ts"
import type * as metricsV1beta1 from "./metrics/v1beta1.types.ts"
import type * as networkingV1 from "./networking/v1.types.ts"
import type * as nodeV1 from "./node/v1.types.ts"
import type * as policyV1 from "./policy/v1.types.ts"
import type * as rbacV1 from "./rbac/v1.types.ts"
import type * as resourceV1 from "./resource/v1.types.ts"
import type * as resourceV1alpha3 from "./resource/v1alpha3.types.ts"
import type * as schedulingV1 from "./scheduling/v1.types.ts"
import type * as schedulingV1alpha2 from "./scheduling/v1alpha2.types.ts"
import type * as storageV1 from "./storage/v1.types.ts"
import type * as storagemigrationV1beta1 from "./storagemigration/v1beta1.types.ts"

/** The kinds of Kubernetes by apiVersion and kind. */
export interface KindMap {
  readonly "v1 Binding": coreV1.Binding
  readonly "v1 ComponentStatus": coreV1.ComponentStatus
  readonly "v1 ConfigMap": coreV1.ConfigMap
  readonly "v1 Endpoints": coreV1.Endpoints
  readonly "v1 Event": coreV1.Event
  readonly "v1 LimitRange": coreV1.LimitRange
  readonly "v1 Namespace": coreV1.Namespace
  readonly "v1 Node": coreV1.Node
  readonly "v1 PersistentVolume": coreV1.PersistentVolume
  readonly "v1 PersistentVolumeClaim": coreV1.PersistentVolumeClaim
  readonly "v1 Pod": coreV1.Pod
  readonly "v1 PodTemplate": coreV1.PodTemplate
  readonly "v1 ReplicationController": coreV1.ReplicationController
  readonly "v1 ResourceQuota": coreV1.ResourceQuota
  readonly "v1 Secret": coreV1.Secret
  readonly "v1 Service": coreV1.Service
  readonly "v1 ServiceAccount": coreV1.ServiceAccount
  readonly "admissionregistration.k8s.io/v1 MutatingAdmissionPolicy": admissionregistrationV1.MutatingAdmissionPolicy
  readonly "admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding": admissionregistrationV1.MutatingAdmissionPolicyBinding
  readonly "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration": admissionregistrationV1.MutatingWebhookConfiguration
  readonly "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy": admissionregistrationV1.ValidatingAdmissionPolicy
  readonly "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding": admissionregistrationV1.ValidatingAdmissionPolicyBinding
  readonly "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration": admissionregistrationV1.ValidatingWebhookConfiguration
  readonly "apiextensions.k8s.io/v1 CustomResourceDefinition": apiextensionsV1.CustomResourceDefinition
  readonly "apiregistration.k8s.io/v1 APIService": apiregistrationV1.APIService
  readonly "apps/v1 ControllerRevision": appsV1.ControllerRevision
  readonly "apps/v1 DaemonSet": appsV1.DaemonSet
  readonly "apps/v1 Deployment": appsV1.Deployment
  readonly "apps/v1 ReplicaSet": appsV1.ReplicaSet
  readonly "apps/v1 StatefulSet": appsV1.StatefulSet
  readonly "authentication.k8s.io/v1 SelfSubjectReview": authenticationV1.SelfSubjectReview
  readonly "authentication.k8s.io/v1 TokenReview": authenticationV1.TokenReview
  readonly "authorization.k8s.io/v1 LocalSubjectAccessReview": authorizationV1.LocalSubjectAccessReview
  readonly "authorization.k8s.io/v1 SelfSubjectAccessReview": authorizationV1.SelfSubjectAccessReview
  readonly "authorization.k8s.io/v1 SelfSubjectRulesReview": authorizationV1.SelfSubjectRulesReview
  readonly "authorization.k8s.io/v1 SubjectAccessReview": authorizationV1.SubjectAccessReview
  readonly "autoscaling/v1 HorizontalPodAutoscaler": autoscalingV1.HorizontalPodAutoscaler
  readonly "autoscaling/v2 HorizontalPodAutoscaler": autoscalingV2.HorizontalPodAutoscaler
  readonly "batch/v1 CronJob": batchV1.CronJob
  readonly "batch/v1 Job": batchV1.Job
  readonly "certificates.k8s.io/v1 CertificateSigningRequest": certificatesV1.CertificateSigningRequest
  readonly "certificates.k8s.io/v1beta1 ClusterTrustBundle": certificatesV1beta1.ClusterTrustBundle
  readonly "certificates.k8s.io/v1beta1 PodCertificateRequest": certificatesV1beta1.PodCertificateRequest
  readonly "coordination.k8s.io/v1 Lease": coordinationV1.Lease
  readonly "discovery.k8s.io/v1 EndpointSlice": discoveryV1.EndpointSlice
  readonly "events.k8s.io/v1 Event": eventsV1.Event
  readonly "flowcontrol.apiserver.k8s.io/v1 FlowSchema": flowcontrolV1.FlowSchema
  readonly "flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration": flowcontrolV1.PriorityLevelConfiguration
  readonly "internal.apiserver.k8s.io/v1alpha1 StorageVersion": apiserverinternalV1alpha1.StorageVersion
  readonly "metrics.k8s.io/v1beta1 NodeMetrics": metricsV1beta1.NodeMetrics
  readonly "metrics.k8s.io/v1beta1 PodMetrics": metricsV1beta1.PodMetrics
  readonly "networking.k8s.io/v1 IPAddress": networkingV1.IPAddress
  readonly "networking.k8s.io/v1 Ingress": networkingV1.Ingress
  readonly "networking.k8s.io/v1 IngressClass": networkingV1.IngressClass
  readonly "networking.k8s.io/v1 NetworkPolicy": networkingV1.NetworkPolicy
  readonly "networking.k8s.io/v1 ServiceCIDR": networkingV1.ServiceCIDR
  readonly "node.k8s.io/v1 RuntimeClass": nodeV1.RuntimeClass
  readonly "policy/v1 PodDisruptionBudget": policyV1.PodDisruptionBudget
  readonly "rbac.authorization.k8s.io/v1 ClusterRole": rbacV1.ClusterRole
  readonly "rbac.authorization.k8s.io/v1 ClusterRoleBinding": rbacV1.ClusterRoleBinding
  readonly "rbac.authorization.k8s.io/v1 Role": rbacV1.Role
  readonly "rbac.authorization.k8s.io/v1 RoleBinding": rbacV1.RoleBinding
  readonly "resource.k8s.io/v1 DeviceClass": resourceV1.DeviceClass
  readonly "resource.k8s.io/v1 ResourceClaim": resourceV1.ResourceClaim
  readonly "resource.k8s.io/v1 ResourceClaimTemplate": resourceV1.ResourceClaimTemplate
  readonly "resource.k8s.io/v1 ResourceSlice": resourceV1.ResourceSlice
  readonly "resource.k8s.io/v1alpha3 ResourcePoolStatusRequest": resourceV1alpha3.ResourcePoolStatusRequest
  readonly "scheduling.k8s.io/v1 PriorityClass": schedulingV1.PriorityClass
  readonly "scheduling.k8s.io/v1alpha2 PodGroup": schedulingV1alpha2.PodGroup
  readonly "storage.k8s.io/v1 CSIDriver": storageV1.CSIDriver
  readonly "storage.k8s.io/v1 CSINode": storageV1.CSINode
  readonly "storage.k8s.io/v1 CSIStorageCapacity": storageV1.CSIStorageCapacity
  readonly "storage.k8s.io/v1 StorageClass": storageV1.StorageClass
  readonly "storage.k8s.io/v1 VolumeAttachment": storageV1.VolumeAttachment
  readonly "storage.k8s.io/v1 VolumeAttributesClass": storageV1.VolumeAttributesClass
  readonly "storagemigration.k8s.io/v1beta1 StorageVersionMigration": storagemigrationV1beta1.StorageVersionMigration
}
