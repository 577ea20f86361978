import { createClient } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import type { OwnSettings } from "../flags/flags.ts"
import type { RunSeams } from "../flags/run-options.ts"
import { serviceAccountCredentials } from "./service-account-credentials.ts"
import { type ClusterChoice, type FreshConnection, type SwappableTransport, swappableTransport } from "./swappable-transport.ts"

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

/** Undefined: the controller has none of its own. */
export function accountOf(controller: string): string | undefined {
  return withoutAccount.has(controller) ? undefined : (accounts[controller] ?? controller)
}

/** Where the accounts of controllers live, as upstream. */
const namespace = "kube-system"

/** What each controller asks through. Disposing closes what it has opened. */
export interface ControllerTransports extends AsyncDisposable {
  for(controller: string): Transport
  /** Throws where one of them cannot be read; then all stay what they are. */
  prepare(choice: ClusterChoice): Promise<FreshConnection>
}

/**
 * With --use-service-account-credentials one connection for each account, opened with its first request; else the common one. A dry run has the common
 * one too: to ask for a token, and to make the account where it is missing, is to write.
 */
export function controllerTransports(
  own: OwnSettings,
  common: SwappableTransport,
  seams: RunSeams,
  connect = swappableTransport,
): ControllerTransports {
  const asAccounts = own["use-service-account-credentials"] && !own["dry-run"]
  let choice: ClusterChoice = own
  const opened = new Map<string, Promise<SwappableTransport>>()
  /** One that is opened while the others are prepared waits, and is made by what has come of that. */
  let decided = Promise.resolve()
  const open = (account: string): Promise<SwappableTransport> => {
    const client = createClient(common.transport, { userAgent: "pilothouse/token-requests" })
    const credentials = serviceAccountCredentials({ client, clock: seams.clock, namespace, account })
    const opening = decided.then(() => connect(choice, seams, credentials))
    opened.set(account, opening)
    // The caller gets the error; the next one tries again.
    opening.catch(() => opened.delete(account))
    return opening
  }
  return {
    for(controller) {
      const account = asAccounts ? accountOf(controller) : undefined
      if (account === undefined) return common.transport
      return async (request) => {
        const { transport } = await (opened.get(account) ?? open(account))
        return transport(request)
      }
    },
    async prepare(next) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const before = [...opened.values()]
      decided = promise
      const ends = await Promise.allSettled((await allOpen(before)).map((one) => one.prepare(next)))
      const fresh = new AsyncDisposableStack()
      const ready = ends.flatMap((end) => (end.status === "fulfilled" ? [fresh.use(end.value)] : []))
      fresh.defer(resolve)
      const failed = ends.find((end) => end.status === "rejected")
      if (failed !== undefined) {
        await fresh.disposeAsync()
        throw failed.reason
      }
      return {
        take() {
          choice = next
          for (const one of ready) one.take()
        },
        [Symbol.asyncDispose]: () => fresh.disposeAsync(),
      }
    },
    async [Symbol.asyncDispose]() {
      for (const one of await allOpen(opened.values())) await one[Symbol.asyncDispose]()
    },
  }
}

/** Without those that could not be opened. */
async function allOpen(openings: Iterable<Promise<SwappableTransport>>): Promise<readonly SwappableTransport[]> {
  return (await Promise.allSettled(openings)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
}
