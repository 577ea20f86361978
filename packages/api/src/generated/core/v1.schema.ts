// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `v1 io.k8s.api.core.v1
AWSElasticBlockStoreVolumeSource: fsType:s partition:i readOnly:b volumeID*:s=
Affinity: nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile: localhostProfile:s type*:s<Localhost|RuntimeDefault|Unconfined>=
AttachedVolume: devicePath*:s= name*:s=
AzureDiskVolumeSource: cachingMode:s<None|ReadOnly|ReadWrite>=ReadWrite diskName*:s= diskURI*:s= fsType:s=ext4 kind:s<Dedicated|Managed|Shared>=Shared readOnly:b=
AzureFilePersistentVolumeSource: readOnly:b secretName*:s= secretNamespace:s shareName*:s=
AzureFileVolumeSource: readOnly:b secretName*:s= shareName*:s=
Binding: @ metadata:.ObjectMeta= target*:ObjectReference=
CSIPersistentVolumeSource: controllerExpandSecretRef:SecretReference controllerPublishSecretRef:SecretReference driver*:s= fsType:s nodeExpandSecretRef:SecretReference nodePublishSecretRef:SecretReference nodeStageSecretRef:SecretReference readOnly:b volumeAttributes:{s volumeHandle*:s=
CSIVolumeSource: driver*:s= fsType:s nodePublishSecretRef:LocalObjectReference readOnly:b volumeAttributes:{s
Capabilities: add:[s drop:[s
CephFSPersistentVolumeSource: monitors*:[s path:s readOnly:b secretFile:s secretRef:SecretReference user:s
CephFSVolumeSource: monitors*:[s path:s readOnly:b secretFile:s secretRef:LocalObjectReference user:s
CinderPersistentVolumeSource: fsType:s readOnly:b secretRef:SecretReference volumeID*:s=
CinderVolumeSource: fsType:s readOnly:b secretRef:LocalObjectReference volumeID*:s=
ClientIPConfig: timeoutSeconds:i
ClusterTrustBundleProjection: labelSelector:.LabelSelector name:s optional:b path*:s= signerName:s
ComponentCondition: error:s message:s status*:s= type*:s=
ComponentStatus: @ conditions:(type)ComponentCondition&merge:type metadata:.ObjectMeta=
ComponentStatusList: @ items*:]ComponentStatus metadata:.ListMeta=
ConfigMap: @ binaryData:{y data:{s immutable:b metadata:.ObjectMeta=
ConfigMapEnvSource: name:s= optional:b
ConfigMapKeySelector: ! key*:s= name:s= optional:b
ConfigMapList: @ items*:]ConfigMap metadata:.ListMeta=
ConfigMapNodeConfigSource: kubeletConfigKey*:s= name*:s= namespace*:s= resourceVersion:s uid:s
ConfigMapProjection: items:[KeyToPath name:s= optional:b
ConfigMapVolumeSource: defaultMode:i items:[KeyToPath name:s= optional:b
Container: args:[s command:[s env:(name)EnvVar&merge:name envFrom:[EnvFromSource image:s imagePullPolicy:s<Always|IfNotPresent|Never> lifecycle:Lifecycle livenessProbe:Probe name*:s= ports:(containerPort,protocol)ContainerPort&merge:containerPort readinessProbe:Probe resizePolicy:[ContainerResizePolicy resources:ResourceRequirements= restartPolicy:s restartPolicyRules:[ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b terminationMessagePath:s terminationMessagePolicy:s<FallbackToLogsOnError|File> tty:b volumeDevices:(devicePath)VolumeDevice&merge:devicePath volumeMounts:(mountPath)VolumeMount&merge:mountPath workingDir:s
ContainerExtendedResourceRequest: containerName*:s= requestName*:s= resourceName*:s=
ContainerImage: names:[s sizeBytes:l
ContainerPort: containerPort*:i= hostIP:s hostPort:i name:s protocol:s<SCTP|TCP|UDP>=TCP
ContainerResizePolicy: resourceName*:s= restartPolicy*:s=
ContainerRestartRule: action*:s exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator*:s values:%i
ContainerState: running:ContainerStateRunning terminated:ContainerStateTerminated waiting:ContainerStateWaiting
ContainerStateRunning: startedAt:t
ContainerStateTerminated: containerID:s exitCode*:i= finishedAt:t message:s reason:s signal:i startedAt:t
ContainerStateWaiting: message:s reason:s
ContainerStatus: allocatedResources:{q allocatedResourcesStatus:(name)ResourceStatus&merge:name containerID:s image*:s= imageID*:s= lastState:ContainerState= name*:s= ready*:b= resources:ResourceRequirements restartCount*:i= started:b state:ContainerState= stopSignal:s<SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ> user:ContainerUser volumeMounts:(mountPath)VolumeMountStatus&merge:mountPath
ContainerUser: linux:LinuxContainerUser
DaemonEndpoint: Port*:i=
DownwardAPIProjection: items:[DownwardAPIVolumeFile
DownwardAPIVolumeFile: fieldRef:ObjectFieldSelector mode:i path*:s= resourceFieldRef:ResourceFieldSelector
DownwardAPIVolumeSource: defaultMode:i items:[DownwardAPIVolumeFile
EmptyDirVolumeSource: medium:s sizeLimit:q
EndpointAddress: ! hostname:s ip*:s= nodeName:s targetRef:ObjectReference
EndpointPort: ! appProtocol:s name:s port*:i= protocol:s<SCTP|TCP|UDP>
EndpointSubset: addresses:[EndpointAddress notReadyAddresses:[EndpointAddress ports:[EndpointPort
Endpoints: @ metadata:.ObjectMeta= subsets:[EndpointSubset
EndpointsList: @ items*:]Endpoints metadata:.ListMeta=
EnvFromSource: configMapRef:ConfigMapEnvSource prefix:s secretRef:SecretEnvSource
EnvVar: name*:s= value:s valueFrom:EnvVarSource
EnvVarSource: configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralContainer: args:[s command:[s env:(name)EnvVar&merge:name envFrom:[EnvFromSource image:s imagePullPolicy:s<Always|IfNotPresent|Never> lifecycle:Lifecycle livenessProbe:Probe name*:s= ports:(containerPort,protocol)ContainerPort&merge:containerPort readinessProbe:Probe resizePolicy:[ContainerResizePolicy resources:ResourceRequirements= restartPolicy:s restartPolicyRules:[ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s<FallbackToLogsOnError|File> tty:b volumeDevices:(devicePath)VolumeDevice&merge:devicePath volumeMounts:(mountPath)VolumeMount&merge:mountPath workingDir:s
EphemeralVolumeSource: volumeClaimTemplate:PersistentVolumeClaimTemplate
Event: @ action:s count:i eventTime:m firstTimestamp:t involvedObject*:ObjectReference= lastTimestamp:t message:s metadata*:.ObjectMeta= reason:s related:ObjectReference reportingComponent:s= reportingInstance:s= series:EventSeries source:EventSource= type:s
EventList: @ items*:]Event metadata:.ListMeta=
EventSeries: count:i lastObservedTime:m
EventSource: component:s host:s
ExecAction: command:[s
FCVolumeSource: fsType:s lun:i readOnly:b targetWWNs:[s wwids:[s
FileKeySelector: ! key*:s= optional:b= path*:s= volumeName*:s=
FlexPersistentVolumeSource: driver*:s= fsType:s options:{s readOnly:b secretRef:SecretReference
FlexVolumeSource: driver*:s= fsType:s options:{s readOnly:b secretRef:LocalObjectReference
FlockerVolumeSource: datasetName:s datasetUUID:s
GCEPersistentDiskVolumeSource: fsType:s partition:i pdName*:s= readOnly:b
GRPCAction: port*:i= service:s=
GitRepoVolumeSource: directory:s repository*:s= revision:s
GlusterfsPersistentVolumeSource: endpoints*:s= endpointsNamespace:s path*:s= readOnly:b
GlusterfsVolumeSource: endpoints*:s= path*:s= readOnly:b
HTTPGetAction: host:s httpHeaders:[HTTPHeader path:s port*:o scheme:s<HTTP|HTTPS>
HTTPHeader: name*:s= value*:s=
HostAlias: hostnames:[s ip*:s=
HostIP: ip*:s=
HostPathVolumeSource: path*:s= type:s<|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket>
ISCSIPersistentVolumeSource: chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn*:s= iscsiInterface:s=default lun*:i= portals:[s readOnly:b secretRef:SecretReference targetPortal*:s=
ISCSIVolumeSource: chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn*:s= iscsiInterface:s=default lun*:i= portals:[s readOnly:b secretRef:LocalObjectReference targetPortal*:s=
ImageVolumeSource: pullPolicy:s<Always|IfNotPresent|Never> reference:s
ImageVolumeStatus: imageRef*:s
KeyToPath: key*:s= mode:i path*:s=
Lifecycle: postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:s<SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ>
LifecycleHandler: exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LimitRange: @ metadata:.ObjectMeta= spec:LimitRangeSpec=
LimitRangeItem: default:{q defaultRequest:{q max:{q maxLimitRequestRatio:{q min:{q type*:s=
LimitRangeList: @ items*:]LimitRange metadata:.ListMeta=
LimitRangeSpec: limits*:[LimitRangeItem
LinuxContainerUser: gid*:l= supplementalGroups:[l uid*:l=
LoadBalancerIngress: hostname:s ip:s ipMode:s ports:[PortStatus
LoadBalancerStatus: ingress:[LoadBalancerIngress
LocalObjectReference: ! name:s=
LocalVolumeSource: fsType:s path*:s=
ModifyVolumeStatus: status*:s<InProgress|Infeasible|Pending>= targetVolumeAttributesClassName:s
NFSVolumeSource: path*:s= readOnly:b server*:s=
Namespace: @ metadata:.ObjectMeta= spec:NamespaceSpec= status:NamespaceStatus=
NamespaceCondition: lastTransitionTime:t message:s reason:s status*:s= type*:s=
NamespaceList: @ items*:]Namespace metadata:.ListMeta=
NamespaceSpec: finalizers:[s
NamespaceStatus: conditions:(type)NamespaceCondition&merge:type phase:s<Active|Terminating>
Node: @ metadata:.ObjectMeta= spec:NodeSpec= status:NodeStatus=
NodeAddress: address*:s= type*:s=
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeAllocatableResourceClaimStatus: containers:%s resourceClaimName*:s= resources*:{q
NodeCondition: lastHeartbeatTime:t lastTransitionTime:t message:s reason:s status*:s= type*:s=
NodeConfigSource: configMap:ConfigMapNodeConfigSource
NodeConfigStatus: active:NodeConfigSource assigned:NodeConfigSource error:s lastKnownGood:NodeConfigSource
NodeDaemonEndpoints: kubeletEndpoint:DaemonEndpoint=
NodeFeatures: supplementalGroupsPolicy:b
NodeList: @ items*:]Node metadata:.ListMeta=
NodeProxyOptions: @ path:s
NodeRuntimeHandler: features:NodeRuntimeHandlerFeatures name:s=
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts:b userNamespaces:b
NodeSelector: ! nodeSelectorTerms*:[NodeSelectorTerm
NodeSelectorRequirement: key*:s= operator*:s<DoesNotExist|Exists|Gt|In|Lt|NotIn>= values:[s
NodeSelectorTerm: ! matchExpressions:[NodeSelectorRequirement matchFields:[NodeSelectorRequirement
NodeSpec: configSource:NodeConfigSource externalID:s podCIDR:s podCIDRs:%s&merge providerID:s taints:[Taint unschedulable:b
NodeStatus: addresses:(type)NodeAddress&merge:type allocatable:{q capacity:{q conditions:(type)NodeCondition&merge:type config:NodeConfigStatus daemonEndpoints:NodeDaemonEndpoints= declaredFeatures:[s features:NodeFeatures images:[ContainerImage nodeInfo:NodeSystemInfo= phase:s<Pending|Running|Terminated> runtimeHandlers:[NodeRuntimeHandler volumesAttached:[AttachedVolume volumesInUse:[s
NodeSwapStatus: capacity:l
NodeSystemInfo: architecture*:s= bootID*:s= containerRuntimeVersion*:s= kernelVersion*:s= kubeProxyVersion*:s= kubeletVersion*:s= machineID*:s= operatingSystem*:s= osImage*:s= swap:NodeSwapStatus systemUUID*:s=
ObjectFieldSelector: ! apiVersion:s fieldPath*:s=
ObjectReference: ! apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:s
PersistentVolume: @ metadata:.ObjectMeta= spec:PersistentVolumeSpec= status:PersistentVolumeStatus=
PersistentVolumeClaim: @ metadata:.ObjectMeta= spec:PersistentVolumeClaimSpec= status:PersistentVolumeClaimStatus=
PersistentVolumeClaimCondition: lastProbeTime:t lastTransitionTime:t message:s reason:s status*:s= type*:s=
PersistentVolumeClaimList: @ items*:]PersistentVolumeClaim metadata:.ListMeta=
PersistentVolumeClaimSpec: accessModes:[s<ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod> dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements= selector:.LabelSelector storageClassName:s volumeAttributesClassName:s volumeMode:s<Block|Filesystem> volumeName:s
PersistentVolumeClaimStatus: accessModes:[s<ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod> allocatedResourceStatuses:~{s<ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending> allocatedResources:{q capacity:{q conditions:(type)PersistentVolumeClaimCondition&merge:type currentVolumeAttributesClassName:s modifyVolumeStatus:ModifyVolumeStatus phase:s<Bound|Lost|Pending>
PersistentVolumeClaimTemplate: metadata:.ObjectMeta= spec*:PersistentVolumeClaimSpec=
PersistentVolumeClaimVolumeSource: claimName*:s= readOnly:b
PersistentVolumeList: @ items*:]PersistentVolume metadata:.ListMeta=
PersistentVolumeSpec: accessModes:[s<ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod> awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFilePersistentVolumeSource capacity:{q cephfs:CephFSPersistentVolumeSource cinder:CinderPersistentVolumeSource claimRef:~ObjectReference csi:CSIPersistentVolumeSource fc:FCVolumeSource flexVolume:FlexPersistentVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource glusterfs:GlusterfsPersistentVolumeSource hostPath:HostPathVolumeSource iscsi:ISCSIPersistentVolumeSource local:LocalVolumeSource mountOptions:[s nfs:NFSVolumeSource nodeAffinity:VolumeNodeAffinity persistentVolumeReclaimPolicy:s<Delete|Recycle|Retain> photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource quobyte:QuobyteVolumeSource rbd:RBDPersistentVolumeSource scaleIO:ScaleIOPersistentVolumeSource storageClassName:s storageos:StorageOSPersistentVolumeSource volumeAttributesClassName:s volumeMode:s<Block|Filesystem> vsphereVolume:VsphereVirtualDiskVolumeSource
PersistentVolumeStatus: lastPhaseTransitionTime:t message:s phase:s<Available|Bound|Failed|Pending|Released> reason:s
PhotonPersistentDiskVolumeSource: fsType:s pdID*:s=
Pod: @ metadata:.ObjectMeta= spec:PodSpec= status:PodStatus=
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm
PodAffinityTerm: labelSelector:.LabelSelector matchLabelKeys:[s mismatchLabelKeys:[s namespaceSelector:.LabelSelector namespaces:[s topologyKey*:s=
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm
PodAttachOptions: @ container:s stderr:b stdin:b stdout:b tty:b
PodCertificateProjection: certificateChainPath:s credentialBundlePath:s keyPath:s keyType*:s maxExpirationSeconds:i signerName*:s userAnnotations:{s
PodCondition: lastProbeTime:t lastTransitionTime:t message:s observedGeneration:l reason:s status*:s= type*:s=
PodDNSConfig: nameservers:[s options:[PodDNSConfigOption searches:[s
PodDNSConfigOption: name:s value:s
PodExecOptions: @ command*:[s container:s stderr:b stdin:b stdout:b tty:b
PodExtendedResourceClaimStatus: requestMappings*:[ContainerExtendedResourceRequest resourceClaimName*:s=
PodIP: ip*:s=
PodList: @ items*:]Pod metadata:.ListMeta=
PodLogOptions: @ container:s follow:b insecureSkipTLSVerifyBackend:b limitBytes:l previous:b sinceSeconds:l sinceTime:t stream:s tailLines:l timestamps:b
PodOS: name*:s=
PodPortForwardOptions: @ ports:[i
PodProxyOptions: @ path:s
PodReadinessGate: conditionType*:s=
PodResourceClaim: name*:s= resourceClaimName:s resourceClaimTemplateName:s
PodResourceClaimStatus: name*:s= resourceClaimName:s
PodSchedulingGate: name*:s=
PodSchedulingGroup: podGroupName:s
PodSecurityContext: appArmorProfile:AppArmorProfile fsGroup:l fsGroupChangePolicy:s<Always|OnRootMismatch> runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxChangePolicy:s seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups:[l supplementalGroupsPolicy:s<Merge|Strict> sysctls:[Sysctl windowsOptions:WindowsSecurityContextOptions
PodSpec: activeDeadlineSeconds:l affinity:Affinity automountServiceAccountToken:b containers*:(name)Container&merge:name dnsConfig:PodDNSConfig dnsPolicy:s<ClusterFirst|ClusterFirstWithHostNet|Default|None> enableServiceLinks:b ephemeralContainers:(name)EphemeralContainer&merge:name hostAliases:(ip)HostAlias&merge:ip hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s imagePullSecrets:(name)LocalObjectReference&merge:name initContainers:(name)Container&merge:name nodeName:s nodeSelector:!{s os:PodOS overhead:{q preemptionPolicy:s<Never|PreemptLowerPriority> priority:i priorityClassName:s readinessGates:[PodReadinessGate resourceClaims:(name)PodResourceClaim&merge,retainKeys:name resources:ResourceRequirements restartPolicy:s<Always|Never|OnFailure> runtimeClassName:s schedulerName:s schedulingGates:(name)PodSchedulingGate&merge:name schedulingGroup:PodSchedulingGroup securityContext:PodSecurityContext serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:l tolerations:[Toleration topologySpreadConstraints:(topologyKey,whenUnsatisfiable)TopologySpreadConstraint&merge:topologyKey volumes:(name)Volume&merge,retainKeys:name
PodStatus: allocatedResources:{q conditions:(type)PodCondition&merge:type containerStatuses:[ContainerStatus ephemeralContainerStatuses:[ContainerStatus extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP:s hostIPs:[HostIP&merge:ip initContainerStatuses:[ContainerStatus message:s nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus nominatedNodeName:s observedGeneration:l phase:s<Failed|Pending|Running|Succeeded|Unknown> podIP:s podIPs:(ip)PodIP&merge:ip qosClass:s<BestEffort|Burstable|Guaranteed> reason:s resize:s resourceClaimStatuses:(name)PodResourceClaimStatus&merge,retainKeys:name resources:ResourceRequirements startTime:t
PodTemplate: @ metadata:.ObjectMeta= template:PodTemplateSpec=
PodTemplateList: @ items*:]PodTemplate metadata:.ListMeta=
PodTemplateSpec: metadata:.ObjectMeta= spec:PodSpec=
PortStatus: error:s port*:i= protocol*:s<SCTP|TCP|UDP>=
PortworxVolumeSource: fsType:s readOnly:b volumeID*:s=
PreferredSchedulingTerm: preference*:NodeSelectorTerm= weight*:i=
Probe: exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i periodSeconds:i successThreshold:i tcpSocket:TCPSocketAction terminationGracePeriodSeconds:l timeoutSeconds:i
ProjectedVolumeSource: defaultMode:i sources:[VolumeProjection
QuobyteVolumeSource: group:s readOnly:b registry*:s= tenant:s user:s volume*:s=
RBDPersistentVolumeSource: fsType:s image*:s= keyring:s=/etc/ceph/keyring monitors*:[s pool:s=rbd readOnly:b secretRef:SecretReference user:s=admin
RBDVolumeSource: fsType:s image*:s= keyring:s=/etc/ceph/keyring monitors*:[s pool:s=rbd readOnly:b secretRef:LocalObjectReference user:s=admin
ReplicationController: @ metadata:.ObjectMeta= spec:ReplicationControllerSpec= status:ReplicationControllerStatus=
ReplicationControllerCondition: lastTransitionTime:t message:s reason:s status*:s= type*:s=
ReplicationControllerList: @ items*:]ReplicationController metadata:.ListMeta=
ReplicationControllerSpec: minReadySeconds:i= replicas:i=1 selector:!{s template:PodTemplateSpec
ReplicationControllerStatus: availableReplicas:i conditions:(type)ReplicationControllerCondition&merge:type fullyLabeledReplicas:i observedGeneration:l readyReplicas:i replicas*:i=
ResourceClaim: name*:s= request:s
ResourceFieldSelector: ! containerName:s divisor:q resource*:s=
ResourceHealth: health:s message:s resourceID*:s=
ResourceQuota: @ metadata:.ObjectMeta= spec:ResourceQuotaSpec= status:ResourceQuotaStatus=
ResourceQuotaList: @ items*:]ResourceQuota metadata:.ListMeta=
ResourceQuotaSpec: hard:{q scopeSelector:ScopeSelector scopes:[s<BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass>
ResourceQuotaStatus: hard:{q used:{q
ResourceRequirements: claims:(name)ResourceClaim limits:{q requests:{q
ResourceStatus: name*:s= resources:(resourceID)ResourceHealth
SELinuxOptions: level:s role:s type:s user:s
ScaleIOPersistentVolumeSource: fsType:s=xfs gateway*:s= protectionDomain:s readOnly:b secretRef*:SecretReference sslEnabled:b storageMode:s=ThinProvisioned storagePool:s system*:s= volumeName:s
ScaleIOVolumeSource: fsType:s=xfs gateway*:s= protectionDomain:s readOnly:b secretRef*:LocalObjectReference sslEnabled:b storageMode:s=ThinProvisioned storagePool:s system*:s= volumeName:s
ScopeSelector: ! matchExpressions:[ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: operator*:s<DoesNotExist|Exists|In|NotIn>= scopeName*:s<BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass>= values:[s
SeccompProfile: localhostProfile:s type*:s<Localhost|RuntimeDefault|Unconfined>=
Secret: @ data:{y immutable:b metadata:.ObjectMeta= stringData:{s type:s
SecretEnvSource: name:s= optional:b
SecretKeySelector: ! key*:s= name:s= optional:b
SecretList: @ items*:]Secret metadata:.ListMeta=
SecretProjection: items:[KeyToPath name:s= optional:b
SecretReference: ! name:s namespace:s
SecretVolumeSource: defaultMode:i items:[KeyToPath optional:b secretName:s
SecurityContext: allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:b procMount:s<Default|Unmasked> readOnlyRootFilesystem:b runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions
Service: @ metadata:.ObjectMeta= spec:ServiceSpec= status:ServiceStatus=
ServiceAccount: @ automountServiceAccountToken:b imagePullSecrets:[LocalObjectReference metadata:.ObjectMeta= secrets:(name)ObjectReference&merge:name
ServiceAccountList: @ items*:]ServiceAccount metadata:.ListMeta=
ServiceAccountTokenProjection: audience:s expirationSeconds:l path*:s=
ServiceList: @ items*:]Service metadata:.ListMeta=
ServicePort: appProtocol:s name:s nodePort:i port*:i= protocol:s<SCTP|TCP|UDP>=TCP targetPort:o
ServiceProxyOptions: @ path:s
ServiceSpec: allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[s externalIPs:[s externalName:s externalTrafficPolicy:s<Cluster|Local> healthCheckNodePort:i internalTrafficPolicy:s<Cluster|Local> ipFamilies:[s<|IPv4|IPv6> ipFamilyPolicy:s<PreferDualStack|RequireDualStack|SingleStack> loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[s ports:(port,protocol)ServicePort&merge:port publishNotReadyAddresses:b selector:!{s sessionAffinity:s<ClientIP|None> sessionAffinityConfig:SessionAffinityConfig trafficDistribution:s type:s<ClusterIP|ExternalName|LoadBalancer|NodePort>
ServiceStatus: conditions:(type).Condition&merge:type loadBalancer:LoadBalancerStatus=
SessionAffinityConfig: clientIP:ClientIPConfig
SleepAction: seconds*:l=
StorageOSPersistentVolumeSource: fsType:s readOnly:b secretRef:ObjectReference volumeName:s volumeNamespace:s
StorageOSVolumeSource: fsType:s readOnly:b secretRef:LocalObjectReference volumeName:s volumeNamespace:s
Sysctl: name*:s= value*:s=
TCPSocketAction: host:s port*:o
Taint: effect*:s<NoExecute|NoSchedule|PreferNoSchedule>= key*:s= timeAdded:t value:s
Toleration: effect:s<NoExecute|NoSchedule|PreferNoSchedule> key:s operator:s<Equal|Exists|Gt|Lt> tolerationSeconds:l value:s
TopologySelectorLabelRequirement: key*:s= values*:[s
TopologySelectorTerm: ! matchLabelExpressions:[TopologySelectorLabelRequirement
TopologySpreadConstraint: labelSelector:.LabelSelector matchLabelKeys:[s maxSkew*:i= minDomains:i nodeAffinityPolicy:s<Honor|Ignore> nodeTaintsPolicy:s<Honor|Ignore> topologyKey*:s= whenUnsatisfiable*:s<DoNotSchedule|ScheduleAnyway>=
TypedLocalObjectReference: ! apiGroup:s kind*:s= name*:s=
TypedObjectReference: apiGroup:s kind*:s= name*:s= namespace:s
Volume: awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource name*:s= nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice: devicePath*:s= name*:s=
VolumeMount: mountPath*:s= mountPropagation:s<Bidirectional|HostToContainer|None> name*:s= readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s
VolumeMountStatus: mountPath*:s= name*:s= readOnly:b recursiveReadOnly:s volumeStatus:VolumeStatus
VolumeNodeAffinity: required:NodeSelector
VolumeProjection: clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements: limits:{q requests:{q
VolumeStatus: image:ImageVolumeStatus
VsphereVirtualDiskVolumeSource: fsType:s storagePolicyID:s storagePolicyName:s volumePath*:s=
WeightedPodAffinityTerm: podAffinityTerm*:PodAffinityTerm= weight*:i=
WindowsSecurityContextOptions: gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s
`
