import { controllers } from "./controllers.ts"

/**
 * The ServiceAccount that each controller works as with --use-service-account-credentials: upstream's, whose roles (`system:controller:…`) every
 * API server makes by itself. A controller that is not named here has an account of its own name.
 */
const accounts: Readonly<Record<string, string>> = {
  "daemonset-controller": "daemon-set-controller",
  "endpoints-controller": "endpoint-controller",
  "garbage-collector-controller": "generic-garbage-collector",
  "horizontal-pod-autoscaler-controller": "horizontal-pod-autoscaler",
  "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
  "node-ipam-controller": "node-controller",
  "node-lifecycle-controller": "node-controller",
  "persistentvolume-binder-controller": "persistent-volume-binder",
  "persistentvolume-provisioner-controller": "persistent-volume-binder",
  "persistentvolume-reclaimer-controller": "persistent-volume-binder",
  "persistentvolume-sweeper-controller": "persistent-volume-binder",
  "persistentvolume-protection-controller": "pv-protection-controller",
  "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
  "pod-garbage-collector-controller": "pod-garbage-collector",
  "replicationcontroller-controller": "replication-controller",
  "root-ca-certificate-publisher-controller": "root-ca-cert-publisher",
  "service-lb-controller": "service-controller",
  "serviceaccount-controller": "service-account-controller",
  "stale-pod-disruption": "disruption-controller",
  "taint-eviction-controller": "node-controller",
}

/** Controllers that work with the credentials of the program: this one makes what others could not begin without, as upstream. */
const withoutAccount: ReadonlySet<string> = new Set(["serviceaccount-token-controller"])

/** Returns the ServiceAccount in kube-system that a controller works as; undefined for one that has none of its own. */
export function accountOf(controller: string): string | undefined {
  return withoutAccount.has(controller) ? undefined : (accounts[controller] ?? controller)
}

/** The scheduler's name among controllers. */
const scheduler = "default-scheduler"

/** Its controllers patch what its role may only update. */
const beyondItsRole = "persistent-volume-binder"

/** A user of the API server. */
export interface ControllerUser {
  readonly name: string
  readonly groups: readonly string[]
}

/**
 * Returns the user that a controller writes as inside an API server's process where rights are enforced: upstream's, to whom bootstrap bindings give
 * a role. Undefined where that role is not enough or where there is none, as for simulated kubelets, each of which stands for all nodes: those need
 * the rights of an administrator.
 */
export function controllerUser(controller: string): ControllerUser | undefined {
  if (controller === scheduler) return { name: "system:kube-scheduler", groups: ["system:authenticated"] }
  if (!(controller in accounts) && !controllers.some(({ name }) => name === controller)) return undefined
  const account = accountOf(controller)
  if (account === undefined) return { name: "system:kube-controller-manager", groups: ["system:authenticated"] }
  if (account === beyondItsRole) return undefined
  const groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]
  return { name: `system:serviceaccount:kube-system:${account}`, groups }
}
