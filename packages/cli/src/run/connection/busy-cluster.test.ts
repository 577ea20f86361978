import { recordingLog, type Transport, type TransportRequest } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { refuseBusyCluster } from "./busy-cluster.ts"

const answer = (status: number, value: object) => ({ status, headers: {}, body: { type: "value", value } as const })

/** A server with that compiler, and with a trace or without. */
function server(compiler: string, trace: number) {
  const asked: TransportRequest[] = []
  const transport: Transport = async (request) => {
    asked.push(request)
    return request.path === "/version" ? answer(200, { gitVersion: "v1.36.3", compiler }) : answer(trace, {})
  }
  return { asked, refuse: () => refuseBusyCluster({ transport, server: "https://here" }, recordingLog().log) }
}

test("a cluster whose own controllers work is refused", async () => {
  await expect(server("pilothouse", 200).refuse()).rejects.toThrow('found one of "pilothouse up"')
})

test("our API server alone is welcome", async () => {
  await expect(server("pilothouse", 404).refuse()).resolves.toBeUndefined()
})

test("does not ask a real server for a path that it forbids to anonymous users", async () => {
  const { asked, refuse } = server("gc", 403)
  await refuse()
  expect(asked.map(({ path }) => path)).toEqual(["/version"])
  expect(asked[0]?.headers["user-agent"]).toMatch(/^pilothouse\//)
})

test("one that cannot be reached yet may come later", async () => {
  const { log, lines } = recordingLog()
  const transport: Transport = () => Promise.reject(new Error("nothing listens there"))
  await refuseBusyCluster({ transport, server: "https://here" }, log)
  expect(lines).toMatchObject([{ level: "warn", message: "the API server cannot be reached yet" }])
})
