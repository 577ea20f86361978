import { type Transport, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { refuseOtherCluster, type Way } from "./swappable-transport.ts"

/** A server of the cluster with this uid; undefined: one that does not answer. */
function way(server: string, uid: string | undefined, asked: string[] = []): Way {
  const transport: Transport = async ({ path, query }) => {
    asked.push(`${path} ${query.fieldSelector}`)
    if (uid === undefined) throw new Error("nothing listens there")
    const items = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system", uid } }]
    return { status: 200, headers: {}, body: valueBody({ apiVersion: "v1", kind: "NamespaceList", metadata: {}, items }) }
  }
  return { server, transport }
}

test("the same address is not asked anything: credentials change there every hour", async () => {
  const asked: string[] = []
  await refuseOtherCluster(way("https://a", "one", asked), way("https://a", "two", asked))
  expect(asked).toEqual([])
})

test("another address of the same cluster is taken", async () => {
  const asked: string[] = []
  await refuseOtherCluster(way("https://a", "one", asked), way("https://b", "one", asked))
  expect(asked).toEqual(Array.from({ length: 2 }, () => "/api/v1/namespaces metadata.name=kube-system"))
})

test.each<[name: string, before: string | undefined, after: string | undefined, found: string]>([
  ["another cluster", "one", "two", "another cluster"],
  ["one that does not answer", "one", undefined, "one that does not show to be the same cluster"],
  ["one that came after a server that does not answer", undefined, "one", "one that does not show to be the same cluster"],
  ["both do not answer", undefined, undefined, "one that does not show to be the same cluster"],
])("%s: what was seen in the one would have been done in the other", async (_name, before, after, found) => {
  const refused = refuseOtherCluster(way("https://a", before), way("https://b", after))
  await expect(refused).rejects.toThrow(`expected the cluster of https://a, found ${found} at https://b; start again to work there`)
})
