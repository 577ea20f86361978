import { configMaps } from "@pilothouse/api/core/v1"
import { webhook } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"

const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } }) as const

const colour = webhook("colour.web.example.com", {
  of: configMaps,
  operations: ["CREATE"],
  mutate(map) {
    map.data = { colour: "blue", ...map.data }
    return map
  },
})
const noRed = webhook("no-red.web.example.com", {
  of: configMaps,
  validate: ({ object }) => (object?.data?.colour === "red" ? "red is taken" : undefined),
})

test("webhooks of a test are called in its process, in virtual time", async () => {
  await using c = await cluster({ webhooks: [colour, noRed], controllers: [] })
  const made = await c.client.create(configMaps, map("a"))
  expect(made.data).toEqual({ colour: "blue" })
  const red = c.client.create(configMaps, { ...map("b"), data: { colour: "red" } })
  await expect(red).rejects.toThrow('admission webhook "no-red.web.example.com" denied the request: red is taken')
})

test("a webhook that hangs is given up after its time", async () => {
  const slow = webhook("slow.web.example.com", { of: configMaps, timeoutSeconds: 3, validate: () => new Promise(() => {}) })
  await using c = await cluster({ webhooks: [slow], controllers: [] })
  const pending = c.client.create(configMaps, map("a")).catch((error: Error) => error.message)
  await c.advance("3s")
  expect(await pending).toContain("context deadline exceeded")
})
