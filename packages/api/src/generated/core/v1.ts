// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { Binding, ComponentStatus, ConfigMap, Endpoints, Event, LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, PodTemplate, ReplicationController, ResourceQuota, Secret, Service, ServiceAccount } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const bindings: Descriptor<Binding> = descriptorFromRow("v1 Binding bindings binding   n c")
export const componentStatuses: Descriptor<ComponentStatus> = descriptorFromRow("v1 ComponentStatus componentstatuses componentstatus cs  c gl")
export const configMaps: Descriptor<ConfigMap> = descriptorFromRow("v1 ConfigMap configmaps configmap cm  n cdDglpuw")
export const endpoints: Descriptor<Endpoints> = descriptorFromRow("v1 Endpoints endpoints endpoints ep  n cdDglpuw")
export const events: Descriptor<Event> = descriptorFromRow("v1 Event events event ev  n cdDglpuw")
export const limitRanges: Descriptor<LimitRange> = descriptorFromRow("v1 LimitRange limitranges limitrange limits  n cdDglpuw")
export const namespaces: Descriptor<Namespace> = descriptorFromRow("v1 Namespace namespaces namespace ns  c cdglpuw finalize::u status::gpu")
export const nodes: Descriptor<Node> = descriptorFromRow("v1 Node nodes node no  c cdDglpuw proxy:v1/NodeProxyOptions:cdgpu status::gpu")
export const persistentVolumeClaims: Descriptor<PersistentVolumeClaim> = descriptorFromRow("v1 PersistentVolumeClaim persistentvolumeclaims persistentvolumeclaim pvc  n cdDglpuw status::gpu")
export const persistentVolumes: Descriptor<PersistentVolume> = descriptorFromRow("v1 PersistentVolume persistentvolumes persistentvolume pv  c cdDglpuw status::gpu")
export const pods: Descriptor<Pod> = descriptorFromRow("v1 Pod pods pod po all n cdDglpuw attach:v1/PodAttachOptions:cg binding:v1/Binding:c ephemeralcontainers::gpu eviction:policy/v1/Eviction:c exec:v1/PodExecOptions:cg log::g portforward:v1/PodPortForwardOptions:cg proxy:v1/PodProxyOptions:cdgpu resize::gpu status::gpu")
export const podTemplates: Descriptor<PodTemplate> = descriptorFromRow("v1 PodTemplate podtemplates podtemplate   n cdDglpuw")
export const replicationControllers: Descriptor<ReplicationController> = descriptorFromRow("v1 ReplicationController replicationcontrollers replicationcontroller rc all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu")
export const resourceQuotas: Descriptor<ResourceQuota> = descriptorFromRow("v1 ResourceQuota resourcequotas resourcequota quota  n cdDglpuw status::gpu")
export const secrets: Descriptor<Secret> = descriptorFromRow("v1 Secret secrets secret   n cdDglpuw")
export const serviceAccounts: Descriptor<ServiceAccount> = descriptorFromRow("v1 ServiceAccount serviceaccounts serviceaccount sa  n cdDglpuw token:authentication.k8s.io/v1/TokenRequest:c")
export const services: Descriptor<Service> = descriptorFromRow("v1 Service services service svc all n cdDglpuw proxy:v1/ServiceProxyOptions:cdgpu status::gpu")
