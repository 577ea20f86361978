/** The ClusterRoles of upstream's controllers. Each is bound to the ServiceAccount of its name in kube-system. */
export const controllerRoleText = `
attachdetach-controller
  list,watch core: persistentvolumeclaims persistentvolumes
  read core: nodes
  patch,update core: nodes/status
  list,watch core: pods
  create,patch,update core,events.k8s.io: events
  read,create,delete storage.k8s.io: volumeattachments
  read storage.k8s.io: csidrivers
  read storage.k8s.io: csinodes
certificate-controller
  read,delete certificates.k8s.io: certificatesigningrequests
  update certificates.k8s.io: certificatesigningrequests/approval certificatesigningrequests/status
  approve certificates.k8s.io: signers named kubernetes.io/kube-apiserver-client-kubelet
  sign certificates.k8s.io: signers named kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown
  create authorization.k8s.io: subjectaccessreviews
  create,patch,update core,events.k8s.io: events
clusterrole-aggregation-controller
  read,escalate,patch,update rbac.authorization.k8s.io: clusterroles
cronjob-controller
  read,update batch: cronjobs
  read,create,delete,patch,update batch: jobs
  update batch: cronjobs/status
  update batch: cronjobs/finalizers
  delete,list,watch core: pods
  create,patch,update core,events.k8s.io: events
daemon-set-controller
  read apps,extensions: daemonsets
  update apps,extensions: daemonsets/status
  update apps,extensions: daemonsets/finalizers
  list,watch core: nodes
  create,delete,list,patch,watch core: pods
  create core: pods/binding
  read,create,delete,patch,update apps: controllerrevisions
  create,patch,update core,events.k8s.io: events
deployment-controller
  read,update apps,extensions: deployments
  update apps,extensions: deployments/status
  update apps,extensions: deployments/finalizers
  read,create,delete,patch,update apps,extensions: replicasets
  read,update core: pods
  create,patch,update core,events.k8s.io: events
device-taint-eviction-controller
  read,delete core: pods
  patch,update core: pods/status
  read resource.k8s.io: resourceclaims
  read resource.k8s.io: resourceslices
  read resource.k8s.io: deviceclasses
  create,patch,update core,events.k8s.io: events
disruption-controller
  read apps,extensions: deployments
  read apps,extensions: replicasets
  read core: replicationcontrollers
  read policy: poddisruptionbudgets
  read apps: statefulsets
  update policy: poddisruptionbudgets/status
  patch,update core: pods/status
  get *: */scale
  create,patch,update core,events.k8s.io: events
endpoint-controller
  read core: pods services
  read,create,delete,update core: endpoints
  create core: endpoints/restricted
  create,patch,update core,events.k8s.io: events
endpointslice-controller
  read core: nodes pods services
  update core: services/finalizers
  read,create,delete,update discovery.k8s.io: endpointslices
  create,patch,update core,events.k8s.io: events
endpointslicemirroring-controller
  read core: endpoints services
  update core: services/finalizers
  update core: endpoints/finalizers
  read,create,delete,update discovery.k8s.io: endpointslices
  create,patch,update core,events.k8s.io: events
ephemeral-volume-controller
  read core: pods
  update core: pods/finalizers
  read,create core: persistentvolumeclaims
  create,patch,update core,events.k8s.io: events
expand-controller
  read,patch,update core: persistentvolumes
  patch,update core: persistentvolumeclaims/status
  read core: persistentvolumeclaims
  create,patch,update core,events.k8s.io: events
generic-garbage-collector
  read,delete,patch,update *: *
  create,patch,update core,events.k8s.io: events
horizontal-pod-autoscaler
  read autoscaling: horizontalpodautoscalers
  update autoscaling: horizontalpodautoscalers/status
  get,update *: */scale
  list,watch core: pods
  list,watch metrics.k8s.io: pods
  read custom.metrics.k8s.io: *
  read external.metrics.k8s.io: *
  create,patch,update core,events.k8s.io: events
job-controller
  read,patch,update batch: jobs
  update batch: jobs/status
  update batch: jobs/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.k8s.io: events
legacy-service-account-token-cleaner
  get core: configmaps named kube-apiserver-legacy-service-account-token-tracking
  delete,patch core: secrets
namespace-controller
  read,delete core: namespaces
  update core: namespaces/finalize namespaces/status
  read,delete,deletecollection *: *
node-controller
  read,delete,patch,update core: nodes
  patch,update core: nodes/status
  patch,update core: pods/status
  read,delete core: pods
  create,patch,update core,events.k8s.io: events
persistent-volume-binder
  read,create,delete,update core: persistentvolumes
  update core: persistentvolumes/status
  read,update core: persistentvolumeclaims
  update core: persistentvolumeclaims/status
  read,create,delete core: pods
  read storage.k8s.io: storageclasses
  list,watch core: nodes
  create,patch,update core,events.k8s.io: events
  watch core: events
pod-garbage-collector
  delete,list,watch core: pods
  read core: nodes
  patch core: pods/status
pv-protection-controller
  read,update core: persistentvolumes
  create,patch,update core,events.k8s.io: events
pvc-protection-controller
  read,update core: persistentvolumeclaims
  update core: persistentvolumeclaims/status
  read core: pods
  create,patch,update core,events.k8s.io: events
replicaset-controller
  read,update apps,extensions: replicasets
  update apps,extensions: replicasets/status
  update apps,extensions: replicasets/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.k8s.io: events
replication-controller
  read,update core: replicationcontrollers
  update core: replicationcontrollers/status
  update core: replicationcontrollers/finalizers
  create,delete,list,patch,watch core: pods
  create,patch,update core,events.k8s.io: events
resource-claim-controller
  read core: pods
  update core: pods/finalizers
  read,create,delete resource.k8s.io: resourceclaims
  patch,update resource.k8s.io: resourceclaims resourceclaims/status
  patch,update core: pods/status
  create,patch,update core,events.k8s.io: events
  patch,update resource.k8s.io: resourceclaims/binding
resourcequota-controller
  list,watch *: *
  update core: resourcequotas/status
  create,patch,update core,events.k8s.io: events
root-ca-cert-publisher
  create,update core: configmaps
  create,patch,update core,events.k8s.io: events
route-controller
  list,watch core: nodes
  patch core: nodes/status
  create,patch,update core,events.k8s.io: events
selinux-warning-controller
  create,patch,update core,events.k8s.io: events
  read core: persistentvolumes
  read core: persistentvolumeclaims
  read core: pods
  read storage.k8s.io: csidrivers
service-account-controller
  create core: serviceaccounts
  create,patch,update core,events.k8s.io: events
service-cidrs-controller
  read,patch,update networking.k8s.io: servicecidrs
  patch,update networking.k8s.io: servicecidrs/finalizers
  patch,update networking.k8s.io: servicecidrs/status
  read networking.k8s.io: ipaddresses
  create,patch,update core,events.k8s.io: events
service-controller
  read core: services
  patch,update core: services/status
  list,watch core: nodes
  create,patch,update core,events.k8s.io: events
statefulset-controller
  list,watch core: pods
  read apps: statefulsets
  update apps: statefulsets/status
  update apps: statefulsets/finalizers
  create,delete,get,patch,update core: pods
  read,create,delete,patch,update apps: controllerrevisions
  read,create core: persistentvolumeclaims
  delete,update core: persistentvolumeclaims
  update core: pods/finalizers
  create,patch,update core,events.k8s.io: events
ttl-after-finished-controller
  read,delete batch: jobs
  create,patch,update core,events.k8s.io: events
ttl-controller
  list,patch,update,watch core: nodes
  create,patch,update core,events.k8s.io: events
validatingadmissionpolicy-status-controller
  read admissionregistration.k8s.io: validatingadmissionpolicies
  get,patch,update admissionregistration.k8s.io: validatingadmissionpolicies/status
  create,patch,update core,events.k8s.io: events
volumeattributesclass-protection-controller
  read core: persistentvolumeclaims
  read core: persistentvolumes
  read,update storage.k8s.io: volumeattributesclasses
  create,patch,update core,events.k8s.io: events
`
