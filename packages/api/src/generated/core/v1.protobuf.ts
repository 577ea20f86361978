// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
AWSElasticBlockStoreVolumeSource volumeID! fsType. partition.i readOnly.b
Affinity nodeAffinity?NodeAffinity podAffinity?PodAffinity podAntiAffinity?PodAntiAffinity
AppArmorProfile type! localhostProfile?
AttachedVolume name! devicePath!
AzureDiskVolumeSource diskName! diskURI! cachingMode? fsType? readOnly?b kind?
AzureFilePersistentVolumeSource secretName! shareName! readOnly.b secretNamespace&
AzureFileVolumeSource secretName! shareName! readOnly.b
@Binding metadata!meta/v1.ObjectMeta target!ObjectReference
CSIPersistentVolumeSource driver! volumeHandle! readOnly.b fsType. volumeAttributes% controllerPublishSecretRef?SecretReference nodeStageSecretRef?SecretReference nodePublishSecretRef?SecretReference controllerExpandSecretRef?SecretReference nodeExpandSecretRef?SecretReference
CSIVolumeSource driver! readOnly?b fsType? volumeAttributes% nodePublishSecretRef?LocalObjectReference
Capabilities add* drop*
CephFSPersistentVolumeSource monitors+ path. user. secretFile. secretRef?SecretReference readOnly.b
CephFSVolumeSource monitors+ path. user. secretFile. secretRef?LocalObjectReference readOnly.b
CinderPersistentVolumeSource volumeID! fsType. readOnly.b secretRef?SecretReference
CinderVolumeSource volumeID! fsType. readOnly.b secretRef?LocalObjectReference
ClientIPConfig timeoutSeconds?i
ClusterTrustBundleProjection name? signerName? labelSelector?meta/v1.LabelSelector path! optional?b
ComponentCondition type! status! message. error.
@ComponentStatus metadata!meta/v1.ObjectMeta conditions*ComponentCondition
@ComponentStatusList metadata!meta/v1.ListMeta items+ComponentStatus
@ConfigMap metadata!meta/v1.ObjectMeta data% binaryData%y immutable?b
ConfigMapEnvSource localObjectReference~LocalObjectReference optional?b
ConfigMapKeySelector localObjectReference~LocalObjectReference key! optional?b
@ConfigMapList metadata!meta/v1.ListMeta items+ConfigMap
ConfigMapNodeConfigSource namespace! name! uid. resourceVersion. kubeletConfigKey!
ConfigMapProjection localObjectReference~LocalObjectReference items*KeyToPath optional=4?b
ConfigMapVolumeSource localObjectReference~LocalObjectReference items*KeyToPath defaultMode?i optional?b
Container name! image. command* args* workingDir. ports*ContainerPort env*EnvVar resources!ResourceRequirements volumeMounts*VolumeMount livenessProbe?Probe readinessProbe?Probe lifecycle?Lifecycle terminationMessagePath. imagePullPolicy. securityContext?SecurityContext stdin.b stdinOnce.b tty.b envFrom*EnvFromSource terminationMessagePolicy. volumeDevices*VolumeDevice startupProbe?Probe resizePolicy*ContainerResizePolicy restartPolicy? restartPolicyRules*ContainerRestartRule
ContainerExtendedResourceRequest containerName! resourceName! requestName!
ContainerImage names+ sizeBytes.l
ContainerPort name. hostPort.i containerPort!i protocol. hostIP.
ContainerResizePolicy resourceName! restartPolicy!
ContainerRestartRule action. exitCodes?ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator. values*i
ContainerState waiting?ContainerStateWaiting running?ContainerStateRunning terminated?ContainerStateTerminated
ContainerStateRunning startedAt!t
ContainerStateTerminated exitCode!i signal.i reason. message. startedAt!t finishedAt!t containerID.
ContainerStateWaiting reason. message.
ContainerStatus name! state!ContainerState lastState!ContainerState ready!b restartCount!i image! imageID! containerID. started?b allocatedResources%q resources?ResourceRequirements volumeMounts*VolumeMountStatus user?ContainerUser allocatedResourcesStatus*ResourceStatus stopSignal?
ContainerUser linux?LinuxContainerUser
DaemonEndpoint Port!i
DownwardAPIProjection items*DownwardAPIVolumeFile
DownwardAPIVolumeFile path! fieldRef?ObjectFieldSelector resourceFieldRef?ResourceFieldSelector mode?i
DownwardAPIVolumeSource items*DownwardAPIVolumeFile defaultMode?i
EmptyDirVolumeSource medium. sizeLimit?q
EndpointAddress ip! targetRef?ObjectReference hostname. nodeName?
EndpointPort name. port!i protocol. appProtocol?
EndpointSubset addresses*EndpointAddress notReadyAddresses*EndpointAddress ports*EndpointPort
@Endpoints metadata!meta/v1.ObjectMeta subsets*EndpointSubset
@EndpointsList metadata!meta/v1.ListMeta items+Endpoints
EnvFromSource prefix. configMapRef?ConfigMapEnvSource secretRef?SecretEnvSource
EnvVar name! value. valueFrom?EnvVarSource
EnvVarSource fieldRef?ObjectFieldSelector resourceFieldRef?ResourceFieldSelector configMapKeyRef?ConfigMapKeySelector secretKeyRef?SecretKeySelector fileKeyRef?FileKeySelector
EphemeralContainer ephemeralContainerCommon~EphemeralContainerCommon targetContainerName.
EphemeralContainerCommon name! image. command* args* workingDir. ports*ContainerPort env*EnvVar resources!ResourceRequirements volumeMounts*VolumeMount livenessProbe?Probe readinessProbe?Probe lifecycle?Lifecycle terminationMessagePath. imagePullPolicy. securityContext?SecurityContext stdin.b stdinOnce.b tty.b envFrom*EnvFromSource terminationMessagePolicy. volumeDevices*VolumeDevice startupProbe?Probe resizePolicy*ContainerResizePolicy restartPolicy? restartPolicyRules*ContainerRestartRule
EphemeralVolumeSource volumeClaimTemplate?PersistentVolumeClaimTemplate
@Event metadata!meta/v1.ObjectMeta involvedObject!ObjectReference reason. message. source!EventSource firstTimestamp!t lastTimestamp!t count.i type. eventTime!u series?EventSeries action. related?ObjectReference reportingComponent! reportingInstance!
@EventList metadata!meta/v1.ListMeta items+Event
EventSeries count.i lastObservedTime!u
EventSource component. host.
ExecAction command*
FCVolumeSource targetWWNs* lun?i fsType. readOnly.b wwids*
FileKeySelector volumeName! path! key! optional?b
FlexPersistentVolumeSource driver! fsType. secretRef?SecretReference readOnly.b options%
FlexVolumeSource driver! fsType. secretRef?LocalObjectReference readOnly.b options%
FlockerVolumeSource datasetName. datasetUUID.
GCEPersistentDiskVolumeSource pdName! fsType. partition.i readOnly.b
GRPCAction port!i service&
GitRepoVolumeSource repository! revision. directory.
GlusterfsPersistentVolumeSource endpoints! path! readOnly.b endpointsNamespace?
GlusterfsVolumeSource endpoints! path! readOnly.b
HTTPGetAction path. port!x host. scheme. httpHeaders*HTTPHeader
HTTPHeader name! value!
HostAlias ip! hostnames*
HostIP ip!
HostPathVolumeSource path! type?
ISCSIPersistentVolumeSource targetPortal! iqn! lun!i iscsiInterface. fsType. readOnly.b portals* chapAuthDiscovery.b secretRef=10?SecretReference chapAuthSession.b initiatorName?
ISCSIVolumeSource targetPortal! iqn! lun!i iscsiInterface. fsType. readOnly.b portals* chapAuthDiscovery.b secretRef=10?LocalObjectReference chapAuthSession.b initiatorName?
ImageVolumeSource reference. pullPolicy.
ImageVolumeStatus imageRef.
KeyToPath key! path! mode?i
Lifecycle postStart?LifecycleHandler preStop?LifecycleHandler stopSignal?
LifecycleHandler exec?ExecAction httpGet?HTTPGetAction tcpSocket?TCPSocketAction sleep?SleepAction
@LimitRange metadata!meta/v1.ObjectMeta spec!LimitRangeSpec
LimitRangeItem type! max%q min%q default%q defaultRequest%q maxLimitRequestRatio%q
@LimitRangeList metadata!meta/v1.ListMeta items+LimitRange
LimitRangeSpec limits+LimitRangeItem
LinuxContainerUser uid!l gid!l supplementalGroups*l
LoadBalancerIngress ip. hostname. ipMode? ports*PortStatus
LoadBalancerStatus ingress*LoadBalancerIngress
LocalObjectReference name.
LocalVolumeSource path! fsType?
ModifyVolumeStatus targetVolumeAttributesClassName. status!
NFSVolumeSource server! path! readOnly.b
@Namespace metadata!meta/v1.ObjectMeta spec!NamespaceSpec status!NamespaceStatus
NamespaceCondition type! status! lastTransitionTime=4!t reason. message.
@NamespaceList metadata!meta/v1.ListMeta items+Namespace
NamespaceSpec finalizers*
NamespaceStatus phase. conditions*NamespaceCondition
@Node metadata!meta/v1.ObjectMeta spec!NodeSpec status!NodeStatus
NodeAddress type! address!
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution?NodeSelector preferredDuringSchedulingIgnoredDuringExecution*PreferredSchedulingTerm
NodeAllocatableResourceClaimStatus resourceClaimName! containers* resources^q
NodeCondition type! status! lastHeartbeatTime!t lastTransitionTime!t reason. message.
NodeConfigSource configMap=2?ConfigMapNodeConfigSource
NodeConfigStatus assigned?NodeConfigSource active?NodeConfigSource lastKnownGood?NodeConfigSource error.
NodeDaemonEndpoints kubeletEndpoint!DaemonEndpoint
NodeFeatures supplementalGroupsPolicy?b
@NodeList metadata!meta/v1.ListMeta items+Node
@NodeProxyOptions path.
NodeRuntimeHandler name! features?NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts?b userNamespaces?b
NodeSelector nodeSelectorTerms+NodeSelectorTerm
NodeSelectorRequirement key! operator! values*
NodeSelectorTerm matchExpressions*NodeSelectorRequirement matchFields*NodeSelectorRequirement
NodeSpec podCIDR. externalID. providerID. unschedulable.b taints*Taint configSource?NodeConfigSource podCIDRs*
NodeStatus capacity%q allocatable%q phase. conditions*NodeCondition addresses*NodeAddress daemonEndpoints!NodeDaemonEndpoints nodeInfo!NodeSystemInfo images*ContainerImage volumesInUse* volumesAttached*AttachedVolume config?NodeConfigStatus runtimeHandlers*NodeRuntimeHandler features?NodeFeatures declaredFeatures*
NodeSwapStatus capacity?l
NodeSystemInfo machineID! systemUUID! bootID! kernelVersion! osImage! containerRuntimeVersion! kubeletVersion! kubeProxyVersion! operatingSystem! architecture! swap?NodeSwapStatus
ObjectFieldSelector apiVersion. fieldPath!
ObjectReference kind. namespace. name. uid. apiVersion. resourceVersion. fieldPath.
@PersistentVolume metadata!meta/v1.ObjectMeta spec!PersistentVolumeSpec status!PersistentVolumeStatus
@PersistentVolumeClaim metadata!meta/v1.ObjectMeta spec!PersistentVolumeClaimSpec status!PersistentVolumeClaimStatus
PersistentVolumeClaimCondition type! status! lastProbeTime!t lastTransitionTime!t reason. message.
@PersistentVolumeClaimList metadata!meta/v1.ListMeta items+PersistentVolumeClaim
PersistentVolumeClaimSpec accessModes* resources!VolumeResourceRequirements volumeName. selector?meta/v1.LabelSelector storageClassName? volumeMode? dataSource?TypedLocalObjectReference dataSourceRef?TypedObjectReference volumeAttributesClassName?
PersistentVolumeClaimStatus phase. accessModes* capacity%q conditions*PersistentVolumeClaimCondition allocatedResources%q allocatedResourceStatuses=7% currentVolumeAttributesClassName? modifyVolumeStatus?ModifyVolumeStatus
PersistentVolumeClaimTemplate metadata!meta/v1.ObjectMeta spec!PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName! readOnly.b
@PersistentVolumeList metadata!meta/v1.ListMeta items+PersistentVolume
PersistentVolumeSource gcePersistentDisk?GCEPersistentDiskVolumeSource awsElasticBlockStore?AWSElasticBlockStoreVolumeSource hostPath?HostPathVolumeSource glusterfs?GlusterfsPersistentVolumeSource nfs?NFSVolumeSource rbd?RBDPersistentVolumeSource iscsi?ISCSIPersistentVolumeSource cinder?CinderPersistentVolumeSource cephfs?CephFSPersistentVolumeSource fc?FCVolumeSource flocker?FlockerVolumeSource flexVolume?FlexPersistentVolumeSource azureFile?AzureFilePersistentVolumeSource vsphereVolume?VsphereVirtualDiskVolumeSource quobyte?QuobyteVolumeSource azureDisk?AzureDiskVolumeSource photonPersistentDisk?PhotonPersistentDiskVolumeSource portworxVolume?PortworxVolumeSource scaleIO?ScaleIOPersistentVolumeSource local?LocalVolumeSource storageos?StorageOSPersistentVolumeSource csi?CSIPersistentVolumeSource
PersistentVolumeSpec capacity%q persistentVolumeSource~PersistentVolumeSource accessModes* claimRef?ObjectReference persistentVolumeReclaimPolicy. storageClassName. mountOptions* volumeMode? nodeAffinity?VolumeNodeAffinity volumeAttributesClassName?
PersistentVolumeStatus phase. message. reason. lastPhaseTransitionTime?t
PhotonPersistentDiskVolumeSource pdID! fsType.
@Pod metadata!meta/v1.ObjectMeta spec!PodSpec status!PodStatus
PodAffinity requiredDuringSchedulingIgnoredDuringExecution*PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution*WeightedPodAffinityTerm
PodAffinityTerm labelSelector?meta/v1.LabelSelector namespaces* topologyKey! namespaceSelector?meta/v1.LabelSelector matchLabelKeys* mismatchLabelKeys*
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution*PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution*WeightedPodAffinityTerm
@PodAttachOptions stdin.b stdout.b stderr.b tty.b container.
PodCertificateProjection signerName. keyType. maxExpirationSeconds?i credentialBundlePath. keyPath. certificateChainPath. userAnnotations%
PodCondition type! status! lastProbeTime!t lastTransitionTime!t reason. message. observedGeneration.l
PodDNSConfig nameservers* searches* options*PodDNSConfigOption
PodDNSConfigOption name. value?
@PodExecOptions stdin.b stdout.b stderr.b tty.b container. command+
PodExtendedResourceClaimStatus requestMappings+ContainerExtendedResourceRequest resourceClaimName!
PodIP ip!
@PodList metadata!meta/v1.ListMeta items+Pod
@PodLogOptions container. follow.b previous.b sinceSeconds?l sinceTime?t timestamps.b tailLines?l limitBytes?l insecureSkipTLSVerifyBackend.b stream?
PodOS name!
@PodPortForwardOptions ports*i
@PodProxyOptions path.
PodReadinessGate conditionType!
PodResourceClaim name! resourceClaimName=3? resourceClaimTemplateName?
PodResourceClaimStatus name! resourceClaimName?
PodSchedulingGate name!
PodSchedulingGroup podGroupName?
PodSecurityContext seLinuxOptions?SELinuxOptions runAsUser?l runAsNonRoot?b supplementalGroups*l fsGroup?l runAsGroup?l sysctls*Sysctl windowsOptions?WindowsSecurityContextOptions fsGroupChangePolicy? seccompProfile?SeccompProfile appArmorProfile?AppArmorProfile supplementalGroupsPolicy? seLinuxChangePolicy?
PodSpec volumes*Volume containers+Container restartPolicy. terminationGracePeriodSeconds?l activeDeadlineSeconds?l dnsPolicy. nodeSelector% serviceAccountName. serviceAccount. nodeName. hostNetwork.b hostPID.b hostIPC.b securityContext?PodSecurityContext imagePullSecrets*LocalObjectReference hostname. subdomain. affinity?Affinity schedulerName. initContainers*Container automountServiceAccountToken?b tolerations*Toleration hostAliases*HostAlias priorityClassName. priority?i dnsConfig?PodDNSConfig shareProcessNamespace?b readinessGates*PodReadinessGate runtimeClassName? enableServiceLinks?b preemptionPolicy? overhead%q topologySpreadConstraints*TopologySpreadConstraint ephemeralContainers*EphemeralContainer setHostnameAsFQDN?b os?PodOS hostUsers?b schedulingGates*PodSchedulingGate resourceClaims*PodResourceClaim resources?ResourceRequirements hostnameOverride? schedulingGroup=43?PodSchedulingGroup
PodStatus phase. conditions*PodCondition message. reason. hostIP. podIP. startTime?t containerStatuses*ContainerStatus qosClass. initContainerStatuses*ContainerStatus nominatedNodeName. podIPs*PodIP ephemeralContainerStatuses*ContainerStatus resize. resourceClaimStatuses*PodResourceClaimStatus hostIPs*HostIP observedGeneration.l extendedResourceClaimStatus?PodExtendedResourceClaimStatus allocatedResources%q resources?ResourceRequirements nodeAllocatableResourceClaimStatuses*NodeAllocatableResourceClaimStatus
@PodStatusResult metadata!meta/v1.ObjectMeta status!PodStatus
@PodTemplate metadata!meta/v1.ObjectMeta template!PodTemplateSpec
@PodTemplateList metadata!meta/v1.ListMeta items+PodTemplate
PodTemplateSpec metadata!meta/v1.ObjectMeta spec!PodSpec
PortStatus port!i protocol! error?
PortworxVolumeSource volumeID! fsType. readOnly.b
PreferredSchedulingTerm weight!i preference!NodeSelectorTerm
Probe handler~ProbeHandler initialDelaySeconds.i timeoutSeconds.i periodSeconds.i successThreshold.i failureThreshold.i terminationGracePeriodSeconds?l
ProbeHandler exec?ExecAction httpGet?HTTPGetAction tcpSocket?TCPSocketAction grpc?GRPCAction
ProjectedVolumeSource sources+VolumeProjection defaultMode?i
QuobyteVolumeSource registry! volume! readOnly.b user. group. tenant.
RBDPersistentVolumeSource monitors+ image! fsType. pool. user. keyring. secretRef?SecretReference readOnly.b
RBDVolumeSource monitors+ image! fsType. pool. user. keyring. secretRef?LocalObjectReference readOnly.b
@RangeAllocation metadata!meta/v1.ObjectMeta range! data!y
@ReplicationController metadata!meta/v1.ObjectMeta spec!ReplicationControllerSpec status!ReplicationControllerStatus
ReplicationControllerCondition type! status! lastTransitionTime!t reason. message.
@ReplicationControllerList metadata!meta/v1.ListMeta items+ReplicationController
ReplicationControllerSpec replicas?i selector% template?PodTemplateSpec minReadySeconds.i
ReplicationControllerStatus replicas!i fullyLabeledReplicas.i observedGeneration.l readyReplicas.i availableReplicas.i conditions*ReplicationControllerCondition
ResourceClaim name! request.
ResourceFieldSelector containerName. resource! divisor!q
ResourceHealth resourceID! health. message=6?
@ResourceQuota metadata!meta/v1.ObjectMeta spec!ResourceQuotaSpec status!ResourceQuotaStatus
@ResourceQuotaList metadata!meta/v1.ListMeta items+ResourceQuota
ResourceQuotaSpec hard%q scopes* scopeSelector?ScopeSelector
ResourceQuotaStatus hard%q used%q
ResourceRequirements limits%q requests%q claims*ResourceClaim
ResourceStatus name! resources*ResourceHealth
SELinuxOptions user. role. type. level.
ScaleIOPersistentVolumeSource gateway! system! secretRef&SecretReference sslEnabled.b protectionDomain. storagePool. storageMode. volumeName. fsType. readOnly.b
ScaleIOVolumeSource gateway! system! secretRef&LocalObjectReference sslEnabled.b protectionDomain. storagePool. storageMode. volumeName. fsType. readOnly.b
ScopeSelector matchExpressions*ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement scopeName! operator! values*
SeccompProfile type! localhostProfile?
@Secret metadata!meta/v1.ObjectMeta data%y type. stringData% immutable?b
SecretEnvSource localObjectReference~LocalObjectReference optional?b
SecretKeySelector localObjectReference~LocalObjectReference key! optional?b
@SecretList metadata!meta/v1.ListMeta items+Secret
SecretProjection localObjectReference~LocalObjectReference items*KeyToPath optional=4?b
SecretReference name. namespace.
SecretVolumeSource secretName. items*KeyToPath defaultMode?i optional?b
SecurityContext capabilities?Capabilities privileged?b seLinuxOptions?SELinuxOptions runAsUser?l runAsNonRoot?b readOnlyRootFilesystem?b allowPrivilegeEscalation?b runAsGroup?l procMount? windowsOptions?WindowsSecurityContextOptions seccompProfile?SeccompProfile appArmorProfile?AppArmorProfile
@SerializedReference reference!ObjectReference
@Service metadata!meta/v1.ObjectMeta spec!ServiceSpec status!ServiceStatus
@ServiceAccount metadata!meta/v1.ObjectMeta secrets*ObjectReference imagePullSecrets*LocalObjectReference automountServiceAccountToken?b
@ServiceAccountList metadata!meta/v1.ListMeta items+ServiceAccount
ServiceAccountTokenProjection audience. expirationSeconds?l path!
@ServiceList metadata!meta/v1.ListMeta items+Service
ServicePort name. protocol. port!i targetPort!x nodePort.i appProtocol?
@ServiceProxyOptions path.
ServiceSpec ports*ServicePort selector% clusterIP. type. externalIPs* sessionAffinity=7. loadBalancerIP. loadBalancerSourceRanges* externalName. externalTrafficPolicy. healthCheckNodePort.i publishNotReadyAddresses.b sessionAffinityConfig?SessionAffinityConfig ipFamilyPolicy=17? clusterIPs* ipFamilies* allocateLoadBalancerNodePorts?b loadBalancerClass? internalTrafficPolicy? trafficDistribution?
ServiceStatus loadBalancer!LoadBalancerStatus conditions*meta/v1.Condition
SessionAffinityConfig clientIP?ClientIPConfig
SleepAction seconds!l
StorageOSPersistentVolumeSource volumeName. volumeNamespace. fsType. readOnly.b secretRef?ObjectReference
StorageOSVolumeSource volumeName. volumeNamespace. fsType. readOnly.b secretRef?LocalObjectReference
Sysctl name! value!
TCPSocketAction port!x host.
Taint key! value. effect! timeAdded?t
Toleration key. operator. value. effect. tolerationSeconds?l
TopologySelectorLabelRequirement key! values+
TopologySelectorTerm matchLabelExpressions*TopologySelectorLabelRequirement
TopologySpreadConstraint maxSkew!i topologyKey! whenUnsatisfiable! labelSelector?meta/v1.LabelSelector minDomains?i nodeAffinityPolicy? nodeTaintsPolicy? matchLabelKeys*
TypedLocalObjectReference apiGroup& kind! name!
TypedObjectReference apiGroup& kind! name! namespace?
Volume name! volumeSource~VolumeSource
VolumeDevice name! devicePath!
VolumeMount name! readOnly.b mountPath! subPath. mountPropagation? subPathExpr. recursiveReadOnly?
VolumeMountStatus name! mountPath! readOnly.b recursiveReadOnly? volumeStatus?VolumeStatus
VolumeNodeAffinity required?NodeSelector
VolumeProjection secret?SecretProjection downwardAPI?DownwardAPIProjection configMap?ConfigMapProjection serviceAccountToken?ServiceAccountTokenProjection clusterTrustBundle?ClusterTrustBundleProjection podCertificate?PodCertificateProjection
VolumeResourceRequirements limits%q requests%q
VolumeSource hostPath?HostPathVolumeSource emptyDir?EmptyDirVolumeSource gcePersistentDisk?GCEPersistentDiskVolumeSource awsElasticBlockStore?AWSElasticBlockStoreVolumeSource gitRepo?GitRepoVolumeSource secret?SecretVolumeSource nfs?NFSVolumeSource iscsi?ISCSIVolumeSource glusterfs?GlusterfsVolumeSource persistentVolumeClaim?PersistentVolumeClaimVolumeSource rbd?RBDVolumeSource flexVolume?FlexVolumeSource cinder?CinderVolumeSource cephfs?CephFSVolumeSource flocker?FlockerVolumeSource downwardAPI?DownwardAPIVolumeSource fc?FCVolumeSource azureFile?AzureFileVolumeSource configMap?ConfigMapVolumeSource vsphereVolume?VsphereVirtualDiskVolumeSource quobyte?QuobyteVolumeSource azureDisk?AzureDiskVolumeSource photonPersistentDisk?PhotonPersistentDiskVolumeSource portworxVolume?PortworxVolumeSource scaleIO?ScaleIOVolumeSource projected?ProjectedVolumeSource storageos?StorageOSVolumeSource csi?CSIVolumeSource ephemeral?EphemeralVolumeSource image?ImageVolumeSource
VolumeStatus image?ImageVolumeStatus
VsphereVirtualDiskVolumeSource volumePath! fsType. storagePolicyName. storagePolicyID.
WeightedPodAffinityTerm weight!i podAffinityTerm!PodAffinityTerm
WindowsSecurityContextOptions gmsaCredentialSpecName? gmsaCredentialSpec? runAsUserName? hostProcess?b
`
