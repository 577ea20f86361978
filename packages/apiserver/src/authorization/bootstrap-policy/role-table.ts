/** Names of bindings with their subjects: "Group system:masters", "ServiceAccount kube-dns kube-system". Each grants the role of its name. */
export type BindingTable = Readonly<Record<string, readonly string[]>>

const recordEvents = "create,patch,update core,events.k8s.io: events"

/** Returns the subjects of upstream's ClusterRoleBindings; those of controllers are not among them. */
export function clusterRoleBindingTable(): BindingTable {
  const [authenticated, scheduler] = ["Group system:authenticated", "User system:kube-scheduler"]
  return {
    "cluster-admin": ["Group system:masters"],
    "system:basic-user": [authenticated],
    "system:discovery": [authenticated],
    "system:kube-controller-manager": ["User system:kube-controller-manager"],
    "system:kube-dns": ["ServiceAccount kube-dns kube-system"],
    "system:kube-scheduler": [scheduler],
    "system:monitoring": ["Group system:monitoring"],
    // Nodes have their rights from the Node authorizer.
    "system:node": [],
    "system:node-proxier": ["User system:kube-proxy"],
    "system:public-info-viewer": [authenticated, "Group system:unauthenticated"],
    "system:service-account-issuer-discovery": ["Group system:serviceaccounts"],
    "system:volume-scheduler": [scheduler],
  }
}

/** A Role of a namespace and the binding that grants it. */
export interface NamespacePolicy {
  readonly namespace: string
  readonly role: string
  readonly rules: readonly string[]
  /** The name of the binding, where it is not that of the role. */
  readonly binding?: string
  readonly subjects: readonly string[]
}

/** Returns upstream's Roles in kube-system and kube-public. */
export function namespacePolicies(): readonly NamespacePolicy[] {
  const [manager, scheduler] = ["User system:kube-controller-manager", "User system:kube-scheduler"]
  const account = (name: string) => `ServiceAccount ${name} kube-system`
  const leaderLock = ["read,create,update coordination.k8s.io: leases", "read,create,update coordination.k8s.io: leasecandidates"]
  const inSystem = (role: string, rules: readonly string[], ...subjects: readonly string[]) => ({
    namespace: "kube-system",
    role,
    rules,
    subjects,
  })
  const reader = "extension-apiserver-authentication-reader"
  return [
    {
      ...inSystem(reader, ["read core: configmaps named extension-apiserver-authentication"], manager, scheduler),
      binding: `system::${reader}`,
    },
    inSystem(
      "system::leader-locking-kube-controller-manager",
      leaderLock,
      manager,
      account("kube-controller-manager"),
      account("leader-election-controller"),
    ),
    inSystem("system::leader-locking-kube-scheduler", leaderLock, scheduler, account("kube-scheduler")),
    inSystem("system:controller:bootstrap-signer", ["read core: secrets"], account("bootstrap-signer")),
    inSystem("system:controller:cloud-provider", ["read,create core: configmaps"], account("cloud-provider")),
    inSystem("system:controller:token-cleaner", ["read,delete core: secrets", recordEvents], account("token-cleaner")),
    {
      namespace: "kube-public",
      role: "system:controller:bootstrap-signer",
      rules: ["read core: configmaps", "update core: configmaps named cluster-info", recordEvents],
      subjects: [account("bootstrap-signer")],
    },
  ]
}
