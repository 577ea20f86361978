import { storageVersions } from "@pilothouse/api/apiserverinternal/v1alpha1"
import { resourcePoolStatusRequests } from "@pilothouse/api/resource/v1alpha3"
import { podGroups } from "@pilothouse/api/scheduling/v1alpha2"
import type { Cluster } from "@pilothouse/testing"
import { podGroup, podGroupVersion } from "../../podgroup-protection/testing/objects.ts"
import { poolStatusVersion, statusRequest } from "../../resource-pool-status-request/testing/objects.ts"
import { identityLease, internalVersion, removeLease, storedBy } from "../../storage-version-gc/testing/objects.ts"
import { isGone } from "./refuse-for-ever.ts"
import type { RefusedWrite } from "./refused-write.ts"

const pools = {
  controller: "resourcepoolstatusrequest-controller",
  cluster: { controllers: ["resourcepoolstatusrequest-controller"], enabledVersions: [poolStatusVersion], nodes: 0 },
  given: (name: string) => [{ ...statusRequest(name), metadata: { name } }],
}
const versions = {
  controller: "storageversion-garbage-collector-controller",
  cluster: { controllers: ["storage-version-gc"], enabledVersions: [internalVersion], nodes: 0 },
}
const lost = (place: string) => `${place}-lost`
const storedIn = (place: string) => `${place}.things`

const entriesOf = async ({ client }: Cluster, place: string) =>
  (await client.get(storageVersions, storedIn(place))).status?.storageVersions?.length

/** Of kinds that are off by default. */
export const refusedOffByDefault: readonly RefusedWrite[] = [
  {
    controller: "podgroup-protection-controller",
    cluster: { controllers: ["podgroup-protection-controller"], enabledVersions: [podGroupVersion], nodes: 0 },
    write: "PUT podgroups",
    given: (place) => [podGroup("g", place)],
    change: ({ client }, place) => client.delete(podGroups, `${place}/g`),
    done: (running, place) => isGone(running.client.get(podGroups, `${place}/g`)),
  },
  {
    ...pools,
    write: "PUT resourcepoolstatusrequests/status",
    done: async ({ client }, place) => (await client.get(resourcePoolStatusRequests, place)).status !== undefined,
  },
  {
    ...pools,
    write: "DELETE resourcepoolstatusrequests",
    within: "62m",
    lasts: "62m",
    done: (running, place) => isGone(running.client.get(resourcePoolStatusRequests, place)),
  },
  {
    ...versions,
    write: "PUT storageversions/status",
    given: (place) => [identityLease(place), identityLease(lost(place))],
    async change(running, place) {
      await storedBy(running, storedIn(place), { [place]: "v1", [lost(place)]: "v1" })
      await removeLease(running, lost(place))
    },
    done: async (running, place) => (await entriesOf(running, place)) === 1,
  },
  {
    ...versions,
    write: "DELETE storageversions",
    given: (place) => [identityLease(lost(place))],
    async change(running, place) {
      await storedBy(running, storedIn(place), { [lost(place)]: "v1" })
      await removeLease(running, lost(place))
    },
    done: (running, place) => isGone(running.client.get(storageVersions, storedIn(place))),
  },
]
