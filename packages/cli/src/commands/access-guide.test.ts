// The guide of access, executed: its objects, its questions and its answers.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { KubeObject } from "@pilothouse/api"
import { pods, secrets } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { parseAllDocuments } from "yaml"
import { canI, whoAmI } from "./auth.ts"

const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/access.md"), "utf8")
const blocks = (kind: string) => [...guide.matchAll(new RegExp(`^\`\`\`${kind}\\n([^\`]*)^\`\`\``, "gm"))].map(([, text = ""]) => text)
const developer = { name: "system:serviceaccount:team:developer", groups: ["system:serviceaccounts", "system:serviceaccounts:team"] }

async function guided(): Promise<Cluster> {
  const running = await cluster({ rbac: true, nodes: 0 })
  for (const document of parseAllDocuments(blocks("yaml")[0]!)) await running.apply(document.toJS() as KubeObject)
  return running
}

test("the account is the one that the guide shows", async () => {
  await using c = await guided()
  expect(blocks("text")).toContain(await whoAmI(c.as(developer)))
})

test("every question has the answer of the guide", async () => {
  await using c = await guided()
  const rows = [...guide.matchAll(/^\| `pilothouse auth can-i (\w+) (\w+)(?: --subresource (\w+))?(?: -n (\w+))?` \| (\w+) \|/gm)]
  expect(rows).toHaveLength(5)
  for (const [row, verb = "", resource = "", subresource, namespace = "default", expected] of rows) {
    const { text } = await canI(c.as(developer), { verb, resource, namespace, subresource }, () => {})
    expect(`${row} ${text}`).toBe(`${row} ${expected}\n`)
  }
})

test("a request without the right, and a pod of the host, are refused in the words of the guide", async () => {
  await using c = await guided()
  const client = c.as(developer)
  const message = async (refused: Promise<unknown>) =>
    `${
      (
        await refused.then(
          () => undefined,
          (error: Error) => error,
        )
      )?.message
    }\n`
  expect(blocks("text")).toContain(await message(client.list(secrets, { namespace: "default" })))
  const spec = { hostNetwork: true, containers: [{ name: "c", image: "i" }] }
  expect(blocks("text")).toContain(
    await message(client.create(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "tool", namespace: "team" }, spec })),
  )
})
