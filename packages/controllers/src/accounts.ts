import { kubeletRole } from "./component-roles.ts"
import { controllers } from "./controllers.ts"

/**
 * The ServiceAccount that each controller works as with --use-service-account-credentials: upstream's, whose roles (`system:controller:…`) every
 * API server makes by itself. A controller that is not named here has an account of its own name.
 */
const accounts: Readonly<Record<string, string>> = {
  "bootstrap-signer-controller": "bootstrap-signer",
  "certificatesigningrequest-approving-controller": "certificate-controller",
  "certificatesigningrequest-cleaner-controller": "certificate-controller",
  "certificatesigningrequest-signing-controller": "certificate-controller",
  "daemonset-controller": "daemon-set-controller",
  "endpoints-controller": "endpoint-controller",
  "endpointslice-mirroring-controller": "endpointslicemirroring-controller",
  "garbage-collector-controller": "generic-garbage-collector",
  "horizontal-pod-autoscaler-controller": "horizontal-pod-autoscaler",
  "kube-apiserver-serving-clustertrustbundle-publisher-controller": "kube-apiserver-serving-clustertrustbundle-publisher",
  "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
  "node-ipam-controller": "node-controller",
  "node-lifecycle-controller": "node-controller",
  "persistentvolume-attach-detach-controller": "attachdetach-controller",
  "persistentvolume-binder-controller": "persistent-volume-binder",
  "persistentvolume-expander-controller": "expand-controller",
  "persistentvolume-provisioner-controller": "persistent-volume-binder",
  "persistentvolume-reclaimer-controller": "persistent-volume-binder",
  "persistentvolume-sweeper-controller": "persistent-volume-binder",
  "persistentvolume-protection-controller": "pv-protection-controller",
  "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
  "pod-garbage-collector-controller": "pod-garbage-collector",
  "podcertificaterequest-cleaner-controller": "podcertificaterequestcleaner",
  "replicationcontroller-controller": "replication-controller",
  "resourceclaim-controller": "resource-claim-controller",
  "resourceclaim-release-controller": "resource-claim-controller",
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "service-cidr-controller": "service-cidrs-controller",
  "service-lb-controller": "service-controller",
  "serviceaccount-controller": "service-account-controller",
  "stale-pod-disruption": "disruption-controller",
  "storageversion-garbage-collector-controller": "storage-version-garbage-collector",
  "taint-eviction-controller": "node-controller",
  "token-cleaner-controller": "token-cleaner",
}

/** Controllers that work with the credentials of the program: this one makes what others could not begin without, as upstream. */
const withoutAccount: ReadonlySet<string> = new Set(["serviceaccount-token-controller"])

/** Returns the ServiceAccount in kube-system that a controller works as; undefined for one that has none of its own. */
export function accountOf(controller: string): string | undefined {
  return withoutAccount.has(controller) ? undefined : (accounts[controller] ?? controller)
}

/** A user of the API server. */
export interface ControllerUser {
  readonly name: string
  readonly groups: readonly string[]
}

/** The user that caches are read and events are written as: upstream's, whose role lists and watches every kind. */
export const managerUser: ControllerUser = { name: "system:kube-controller-manager", groups: ["system:authenticated"] }

/** Returns the user that is a ServiceAccount of kube-system. */
export function accountUser(account: string): ControllerUser {
  const groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]
  return { name: `system:serviceaccount:kube-system:${account}`, groups }
}

const scheduler: ControllerUser = { name: "system:kube-scheduler", groups: ["system:authenticated"] }

/** Of parts of an embedded cluster that upstream's controller manager does not have. */
const componentUsers: Readonly<Record<string, ControllerUser>> = {
  "default-scheduler": scheduler,
  "simulated-kubelet": accountUser(kubeletRole.account),
  "loopback-endpoints-controller": accountUser("service-controller"),
  "node-ports-controller": accountUser("service-controller"),
}

/**
 * Returns the user that a controller writes as inside an API server's process where rights are enforced: upstream's, to whom bootstrap bindings give
 * a role, with what `controllerRoles` adds. Undefined for a controller that is not known here.
 */
export function controllerUser(controller: string): ControllerUser | undefined {
  const component = componentUsers[controller]
  if (component !== undefined) return component
  if (!(controller in accounts) && !controllers.some(({ name }) => name === controller)) return undefined
  const account = accountOf(controller)
  return account === undefined ? managerUser : accountUser(account)
}
