/**
 * Rights that a component has beside upstream's bootstrap policy: the rules of a ClusterRole `pilothouse:<account>`, or a ClusterRole that is there,
 * bound to a ServiceAccount of kube-system.
 */
export interface ComponentRole {
  readonly account: string
  /** "get,list core: pods": verbs, API groups and resources. */
  readonly rules?: readonly string[]
  /** The name of a ClusterRole, in place of rules. */
  readonly role?: string
}

const recordEvents = "create,patch core,events.k8s.io: events"

/** What our controllers request beyond the roles that every API server makes for upstream's accounts. */
export const controllerRoles: readonly ComponentRole[] = [
  {
    account: "persistent-volume-binder",
    rules: ["patch core: persistentvolumeclaims persistentvolumeclaims/status persistentvolumes/status"],
  },
  { account: "service-controller", rules: ["patch core: services"] },
  { account: "node-controller", rules: ["get coordination.k8s.io: leases"] },
]

/** One account stands for all simulated kubelets, so it has the rights of all nodes; a kubelet that joins has those of its own. */
export const kubeletRole: ComponentRole = { account: "simulated-kubelet", role: "system:node" }

/** What real kubelets know the API server of an embedded cluster by: a request that is led back to the server may do nothing else there. */
export const kubeletClientRole: ComponentRole = { account: "kubelet-client", role: "system:kubelet-api-admin" }

/** Serves metrics of pods and nodes, and those that annotations of any object say. Not the account of a real metrics-server, which would get these rights. */
export const metricsRole: ComponentRole = { account: "simulated-metrics", rules: ["get,list *: *"] }

/** The registry that xDS is served from. */
export const discoveryRole: ComponentRole = {
  account: "discovery",
  rules: ["read core: namespaces nodes pods services", "read discovery.k8s.io: endpointslices"],
}

/** The handlers that make Neutron ports of pods and load balancers of Services. */
export const kuryrRole: ComponentRole = {
  account: "kuryr-controller",
  rules: [
    "read core: endpoints namespaces nodes pods services",
    "patch core: endpoints pods services",
    "patch core: pods/status services/status",
    recordEvents,
  ],
}
