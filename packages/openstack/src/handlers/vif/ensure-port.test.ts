import { expect, test } from "vitest"
import type { Port } from "../../clients/neutron/types.ts"
import type { PodVifDriver } from "../../drivers/vif/pod-vif.ts"
import { ensurePort } from "./handler.ts"

const { signal } = new AbortController()
const pod = { uid: "u", namespace: "default", name: "web" }
const request = { pod, node: "node1", hostIp: "", project: "p", network: "n", subnets: [], groups: [] }

/** A pod whose port Neutron has not bound, while the call that makes it is answered or not; and what was taken away. */
function unbound(isCreating: boolean) {
  const gone: string[] = []
  const pool = {
    request: async () => ({ port: { id: "its" } as Port }),
    release: async () => void gone.push("from the pool"),
    isCreating: () => isCreating,
  }
  const driver = {
    unusableReason: () => "not bound",
    remove: async () => void gone.push("from the cloud"),
  } as unknown as PodVifDriver
  return { gone, made: ensurePort({ pool, driver }, request, signal) }
}

test("deletes a port that Neutron could not bind, and the next reconcile creates another", async () => {
  const { gone, made } = unbound(false)
  await expect(made).rejects.toMatchObject({ code: "CLOUD", message: "not bound" })
  expect(gone).toEqual(["from the cloud", "from the pool"])
})

test("a port that is not bound yet because its create is not answered stays: the answer says whether it is", async () => {
  const { gone, made } = unbound(true)
  await expect(made).rejects.toMatchObject({ code: "RETRY_AFTER", after: 10_000, message: "not bound" })
  expect(gone).toEqual([])
})
