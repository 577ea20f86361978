import { expect, test } from "vitest"
import { executor } from "./executor.ts"
import { executorsWhileLeading } from "./executors-while-leading.ts"

const operation = { do: "balance-load", to: "the balancer of default/web", reason: "test" } as const
const { signal } = new AbortController()

function layer(isLeading: boolean) {
  const signals: AbortSignal[] = []
  const lost = new AbortController()
  const leadership = { isLeading, lost: lost.signal }
  const inner = executor("balance-load", async (_, given) => {
    signals.push(given)
    return "done"
  })
  const [made] = executorsWhileLeading([inner], leadership)
  return { execute: () => made!.execute(operation, signal), signals, lost, leadership }
}

test("an operation on a cloud is carried out while we lead", async () => {
  const { execute, signals } = layer(true)
  expect(await execute()).toBe("done")
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})

test("none begins while another may lead", async () => {
  const { execute, signals, leadership } = layer(true)
  leadership.isLeading = false
  await expect(execute()).rejects.toMatchObject({
    code: "LEADERSHIP_LOST",
    message: 'expected to lead before a write, found that another may lead: "balance-load" was not started',
  })
  expect(signals).toEqual([])
})

test("one under way is asked to end when leadership is lost", async () => {
  const { execute, signals, lost } = layer(true)
  await execute()
  lost.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test("without an election they are left as they are", () => {
  const executors = [executor("balance-load", async () => {})]
  expect(executorsWhileLeading(executors, undefined)).toBe(executors)
})
