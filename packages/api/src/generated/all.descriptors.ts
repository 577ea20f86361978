// Written by `npm run generate` (tools/generate/descriptors.ts).
/** A row for every resource; the core group first, then by group name. */
export const rows = `v1 Binding bindings binding   n c
v1 ComponentStatus componentstatuses componentstatus cs  c gl
v1 ConfigMap configmaps configmap cm  n cdDglpuw
v1 Endpoints endpoints endpoints ep  n cdDglpuw
v1 Event events event ev  n cdDglpuw
v1 LimitRange limitranges limitrange limits  n cdDglpuw
v1 Namespace namespaces namespace ns  c cdglpuw finalize::u status::gpu
v1 Node nodes node no  c cdDglpuw proxy:v1/NodeProxyOptions:cdgpu status::gpu
v1 PersistentVolumeClaim persistentvolumeclaims persistentvolumeclaim pvc  n cdDglpuw status::gpu
v1 PersistentVolume persistentvolumes persistentvolume pv  c cdDglpuw status::gpu
v1 Pod pods pod po all n cdDglpuw attach:v1/PodAttachOptions:cg binding:v1/Binding:c ephemeralcontainers::gpu eviction:policy/v1/Eviction:c exec:v1/PodExecOptions:cg log::g portforward:v1/PodPortForwardOptions:cg proxy:v1/PodProxyOptions:cdgpu resize::gpu status::gpu
v1 PodTemplate podtemplates podtemplate   n cdDglpuw
v1 ReplicationController replicationcontrollers replicationcontroller rc all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu
v1 ResourceQuota resourcequotas resourcequota quota  n cdDglpuw status::gpu
v1 Secret secrets secret   n cdDglpuw
v1 ServiceAccount serviceaccounts serviceaccount sa  n cdDglpuw token:authentication.k8s.io/v1/TokenRequest:c
v1 Service services service svc all n cdDglpuw proxy:v1/ServiceProxyOptions:cdgpu status::gpu
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy mutatingadmissionpolicies mutatingadmissionpolicy  api-extensions c cdDglpuw
admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings mutatingadmissionpolicybinding  api-extensions c cdDglpuw
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations mutatingwebhookconfiguration  api-extensions c cdDglpuw
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies validatingadmissionpolicy  api-extensions c cdDglpuw status::gpu
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings validatingadmissionpolicybinding  api-extensions c cdDglpuw
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations validatingwebhookconfiguration  api-extensions c cdDglpuw
apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions customresourcedefinition crd,crds api-extensions c cdDglpuw status::gpu
apiregistration.k8s.io/v1 APIService apiservices apiservice  api-extensions c cdDglpuw status::gpu
apps/v1 ControllerRevision controllerrevisions controllerrevision   n cdDglpuw
apps/v1 DaemonSet daemonsets daemonset ds all n cdDglpuw status::gpu
apps/v1 Deployment deployments deployment deploy all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu
apps/v1 ReplicaSet replicasets replicaset rs all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu
apps/v1 StatefulSet statefulsets statefulset sts all n cdDglpuw scale:autoscaling/v1/Scale:gpu status::gpu
authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews selfsubjectreview   c c
authentication.k8s.io/v1 TokenReview tokenreviews tokenreview   c c
authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews localsubjectaccessreview   n c
authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews selfsubjectaccessreview   c c
authorization.k8s.io/v1 SelfSubjectRulesReview selfsubjectrulesreviews selfsubjectrulesreview   c c
authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews subjectaccessreview   c c
autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers horizontalpodautoscaler hpa all n cdDglpuw status::gpu
autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers horizontalpodautoscaler hpa all n cdDglpuw status::gpu
batch/v1 CronJob cronjobs cronjob cj all n cdDglpuw status::gpu
batch/v1 Job jobs job  all n cdDglpuw status::gpu
certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests certificatesigningrequest csr  c cdDglpuw approval::gpu status::gpu
certificates.k8s.io/v1beta1 ClusterTrustBundle clustertrustbundles clustertrustbundle   c cdDglpuw
certificates.k8s.io/v1beta1 PodCertificateRequest podcertificaterequests podcertificaterequest   n cdDglpuw status::gpu
coordination.k8s.io/v1 Lease leases lease   n cdDglpuw
discovery.k8s.io/v1 EndpointSlice endpointslices endpointslice   n cdDglpuw
events.k8s.io/v1 Event events event ev  n cdDglpuw
flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas flowschema   c cdDglpuw status::gpu
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations prioritylevelconfiguration   c cdDglpuw status::gpu
internal.apiserver.k8s.io/v1alpha1 StorageVersion storageversions storageversion   c cdDglpuw status::gpu
metrics.k8s.io/v1beta1 NodeMetrics nodes    c gl
metrics.k8s.io/v1beta1 PodMetrics pods    n gl
networking.k8s.io/v1 IngressClass ingressclasses ingressclass   c cdDglpuw
networking.k8s.io/v1 Ingress ingresses ingress ing  n cdDglpuw status::gpu
networking.k8s.io/v1 IPAddress ipaddresses ipaddress ip  c cdDglpuw
networking.k8s.io/v1 NetworkPolicy networkpolicies networkpolicy netpol  n cdDglpuw
networking.k8s.io/v1 ServiceCIDR servicecidrs servicecidr   c cdDglpuw status::gpu
node.k8s.io/v1 RuntimeClass runtimeclasses runtimeclass   c cdDglpuw
policy/v1 PodDisruptionBudget poddisruptionbudgets poddisruptionbudget pdb  n cdDglpuw status::gpu
rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings clusterrolebinding   c cdDglpuw
rbac.authorization.k8s.io/v1 ClusterRole clusterroles clusterrole   c cdDglpuw
rbac.authorization.k8s.io/v1 RoleBinding rolebindings rolebinding   n cdDglpuw
rbac.authorization.k8s.io/v1 Role roles role   n cdDglpuw
resource.k8s.io/v1 DeviceClass deviceclasses deviceclass   c cdDglpuw
resource.k8s.io/v1 ResourceClaim resourceclaims resourceclaim   n cdDglpuw status::gpu
resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates resourceclaimtemplate   n cdDglpuw
resource.k8s.io/v1 ResourceSlice resourceslices resourceslice   c cdDglpuw
resource.k8s.io/v1alpha3 ResourcePoolStatusRequest resourcepoolstatusrequests resourcepoolstatusrequest   c cdDglpuw status::gpu
scheduling.k8s.io/v1 PriorityClass priorityclasses priorityclass pc  c cdDglpuw
scheduling.k8s.io/v1alpha2 PodGroup podgroups podgroup   n cdDglpuw status::gpu
storage.k8s.io/v1 CSIDriver csidrivers csidriver   c cdDglpuw
storage.k8s.io/v1 CSINode csinodes csinode   c cdDglpuw
storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities csistoragecapacity   n cdDglpuw
storage.k8s.io/v1 StorageClass storageclasses storageclass sc  c cdDglpuw
storage.k8s.io/v1 VolumeAttachment volumeattachments volumeattachment   c cdDglpuw status::gpu
storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses volumeattributesclass vac  c cdDglpuw
storagemigration.k8s.io/v1beta1 StorageVersionMigration storageversionmigrations storageversionmigration   c cdDglpuw status::gpu`
