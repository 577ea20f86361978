import { messageOf, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { KeystoneClient } from "./keystone-client.ts"

test("a login without a response fails with the whole address", async () => {
  const clock = new VirtualClock()
  const credentials = { type: "password", user: { name: "u" }, password: "p" } as const
  const asked: unknown[] = []
  const client = new KeystoneClient({
    access: { authUrl: "http://k:5000/identity/", credentials },
    connect: (url, service) => {
      asked.push([url, service])
      return ({ signal }) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("ended"))))
    },
    clock,
    timeout: "5s",
    retries: 0,
  })
  const token = client.token().catch(messageOf)
  await clock.advance("5s")
  expect(await token).toBe("expected an answer to POST http://k:5000/identity/v3/auth/tokens within 5s, found none: ended")
  expect(asked).toEqual([["http://k:5000/identity/v3", "keystone"]])
})
