import { expect } from "vitest"
import { type MakeFixture, row } from "./testing/fixture.ts"
import { contractNode, contractService } from "./testing/subjects.ts"

/** The promises about calls that fail, hang, or whose answer is lost. */
export function faultRows(make: MakeFixture): void {
  row(
    "a lost answer: the same call again ends with one balancer",
    make,
    async ({ fixture, balancers, signal }) => {
      const service = contractService()
      fixture.fault?.("lose-answer")
      await expect(balancers.ensure(service, [contractNode("a")], signal)).rejects.toThrow()
      const { status } = await balancers.ensure(service, [contractNode("a")], signal)
      expect(await fixture.balancers()).toEqual([balancers.name(service)])
      expect(await balancers.get(service, signal)).toEqual(status)
    },
    "fault",
  )

  row(
    "a failed ensure leaves nothing that ensureDeleted does not find",
    make,
    async ({ fixture, balancers, signal }) => {
      const service = contractService()
      fixture.fault?.("fail")
      await expect(balancers.ensure(service, [contractNode("a")], signal)).rejects.toThrow()
      await balancers.ensureDeleted(service, signal)
      expect(await fixture.balancers()).toEqual([])
    },
    "fault",
  )

  row(
    "a lost answer to ensureDeleted: it may be called again",
    make,
    async ({ fixture, balancers, signal }) => {
      const service = contractService()
      await balancers.ensure(service, [], signal)
      fixture.fault?.("lose-answer")
      await expect(balancers.ensureDeleted(service, signal)).rejects.toThrow()
      await balancers.ensureDeleted(service, signal)
      expect(await fixture.balancers()).toEqual([])
    },
    "fault",
  )

  row(
    "a call to a cloud that hangs ends when it is aborted, and other calls go on",
    make,
    async ({ fixture, balancers, signal }) => {
      const stop = new AbortController()
      fixture.fault?.("hang")
      const hanging = balancers.ensure(contractService(), [], stop.signal).then(
        () => "done",
        () => "ended",
      )
      const other = contractService([], "3c6f2c33-0000-4000-8000-000000000003")
      await balancers.ensure(other, [], signal)
      stop.abort()
      expect(await hanging).toBe("ended")
      expect(await fixture.balancers()).toEqual([balancers.name(other)])
    },
    "fault",
  )
}
