import type { BindingTable } from "./role-table.ts"

/** What a group version that is off by default adds to the bootstrap policy where it is served, as upstream's feature gates do. */
export interface OptionalPolicy {
  /** Roles of controllers, each bound to the ServiceAccount of its name; as `controllerRoleText`. */
  readonly controllerRoleText?: string
  /** The same of roles for users and components. */
  readonly clusterRoleText?: string
  readonly bindings?: BindingTable
  /** Of system:node. */
  readonly nodeRules?: readonly string[]
}

const discovery = "system:cluster-trust-bundle-discovery"

/** By the group version. */
export const optionalPolicies: Readonly<Record<string, OptionalPolicy>> = {
  "certificates.k8s.io/v1beta1": {
    controllerRoleText: `kube-apiserver-serving-clustertrustbundle-publisher
  attest certificates.k8s.io: signers named kubernetes.io/kube-apiserver-serving
  create,delete,list,update,watch certificates.k8s.io: clustertrustbundles
  create,patch,update core,events.k8s.io: events
podcertificaterequestcleaner
  read,delete certificates.k8s.io: podcertificaterequests
`,
    clusterRoleText: `${discovery}
  read certificates.k8s.io: clustertrustbundles
`,
    bindings: { [discovery]: ["Group system:serviceaccounts"] },
    nodeRules: ["read certificates.k8s.io: clustertrustbundles", "read,create certificates.k8s.io: podcertificaterequests"],
  },
  "internal.apiserver.k8s.io/v1alpha1": {
    controllerRoleText: `storage-version-garbage-collector
  read coordination.k8s.io: leases
  read,delete,patch,update internal.apiserver.k8s.io: storageversions
  get,patch,update internal.apiserver.k8s.io: storageversions/status
`,
  },
  "resource.k8s.io/v1alpha3": {
    controllerRoleText: `resourcepoolstatusrequest-controller
  read,delete resource.k8s.io: resourcepoolstatusrequests
  patch,update resource.k8s.io: resourcepoolstatusrequests/status
  read resource.k8s.io: resourceslices
  read resource.k8s.io: resourceclaims
  create,patch,update core,events.k8s.io: events
`,
  },
  "scheduling.k8s.io/v1alpha2": {
    controllerRoleText: `podgroup-protection-controller
  read,update scheduling.k8s.io: podgroups
  read core: pods
`,
  },
  "storagemigration.k8s.io/v1beta1": {
    controllerRoleText: `storage-version-migrator-controller
  list,create,patch *: *
  get apiextensions.k8s.io: customresourcedefinitions
  patch apiextensions.k8s.io: customresourcedefinitions/status
  update storagemigration.k8s.io: storageversionmigrations/status
`,
  },
}
