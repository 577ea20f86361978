import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../testing/server.ts"
import { bodies, bodyOf, objectPath, pathOf } from "./testing/bodies.ts"

const kinds = Object.keys(bodies)

/** Those that a PUT makes where there are none. */
const madeByPut = [
  "services",
  "endpoints",
  "limitranges",
  "events",
  "events.k8s.io/events",
  "leases",
  "runtimeclasses",
  "roles",
  "rolebindings",
  "clusterroles",
  "clusterrolebindings",
]

/** Those of which a writer must say what it has read. */
const conditional = [
  "poddisruptionbudgets",
  "leases",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "csinodes",
  "csidrivers",
  "csistoragecapacities",
  "volumeattachments",
  "runtimeclasses",
]

/** Those that have a generation from the start; a few count more than their spec. */
const withGeneration = [
  "deployments",
  "replicasets",
  "statefulsets",
  "daemonsets",
  "replicationcontrollers",
  "jobs",
  "cronjobs",
  "pods",
  "podtemplates",
  "poddisruptionbudgets",
  "ingresses",
  "ingressclasses",
  "networkpolicies",
  "endpointslices",
  "priorityclasses",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "flowschemas",
  "deviceclasses",
]

/** Those whose deletion is answered with what was there; the others with a Status. */
const answeredWhole = [
  "pods",
  "services",
  "podtemplates",
  "resourcequotas",
  "serviceaccounts",
  "persistentvolumes",
  "persistentvolumeclaims",
  "storageclasses",
  "csinodes",
  "csidrivers",
  "volumeattachments",
  "resourceclaims",
  "resourceclaimtemplates",
  "deviceclasses",
]

const make = async (api: TestServer, kind: string) => objectIn(await api.post(pathOf(kind), bodyOf(kind)), 201)

/** The kinds that say yes, of all in the table. */
async function those(asked: (kind: string) => Promise<boolean>): Promise<readonly string[]> {
  const answers: string[] = []
  for (const kind of kinds) if (await asked(kind)) answers.push(kind)
  return answers.sort()
}

everyWay("writes, kind by kind", (testServer) => {
  test("a PUT makes these, and no others", async () => {
    const api = testServer()
    const made = await those(async (kind) => (await api.put(objectPath(kind), bodyOf(kind))).status === 201)
    expect(made).toEqual(madeByPut.toSorted())
  })

  test("an update of these must say what was read", async () => {
    const api = testServer()
    const refused = await those(async (kind) => {
      const made = await make(api, kind)
      const answer = await api.put(objectPath(kind), { ...made, metadata: { ...made.metadata, resourceVersion: undefined } })
      if (answer.status === 200) return false
      expect(statusIn(answer)).toMatchObject({ code: 422, message: expect.stringContaining("must be specified for an update") })
      return true
    })
    expect(refused).toEqual(conditional.toSorted())
  })

  test("these count generations from one; a label is none, save for slices", async () => {
    const api = testServer()
    const counting = await those(async (kind) => (await make(api, kind)).metadata.generation === 1)
    expect(counting).toEqual(withGeneration.toSorted())
    for (const kind of counting) {
      const { generation } = objectIn(await api.patch(objectPath(kind), "merge", { metadata: { labels: { l: "1" } } })).metadata
      expect([kind, generation]).toEqual([kind, kind === "endpointslices" ? 2 : 1])
    }
  })

  test("the deletion of these is answered with the object", async () => {
    const api = testServer()
    const whole = await those(async (kind) => {
      await make(api, kind)
      const answer = objectIn(await api.delete(objectPath(kind), { propagationPolicy: "Background" }))
      return (answer as { kind?: string }).kind !== "Status"
    })
    expect(whole).toEqual(answeredWhole.toSorted())
  })
})
