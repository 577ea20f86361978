import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { defaultDebugPort } from "./discovery/serve.ts"
import { defaultPort } from "./embedded/api-server.ts"
import { discoveryPort } from "./embedded/cluster.ts"
import { place } from "./embedded/exec-lock.ts"
import { pilothouseProgram } from "./program.ts"
import { settingsOf } from "./run/settings.ts"

interface PortRow {
  readonly program: string
  readonly flag: string
  readonly port: string
  readonly address: string
}

const text = readFileSync(new URL("../../../SECURITY.md", import.meta.url), "utf8")

/** The table of ports, without its head. */
function portRows(): readonly PortRow[] {
  const section = /\n## Ports\n([\s\S]*?)\n## /.exec(text)?.[1] ?? ""
  const lines = section.split("\n").filter((line) => line.startsWith("|"))
  return lines.slice(2).map((line) => {
    const [, program = "", flag = "", port = "", address = ""] = line.split("|").map((cell) => cell.trim().replaceAll("`", ""))
    return { program, flag, port, address }
  })
}

/** The default of a flag of a command. */
async function defaultOf(command: string, flag: string): Promise<unknown> {
  const found = (await pilothouseProgram(command)).commands.find((one) => one.name() === command)
  const option = found?.options.find(({ long }) => long === flag)
  expect(option, `${command} ${flag}`).toBeDefined()
  return option?.defaultValue
}

const nextFree = (port: number) => `${port}, or the next free one`

test("SECURITY.md names the ports and addresses that the programs listen on by default", async () => {
  const run = settingsOf({}, {}).own
  const handlers = settingsOf({ openstack: "true" }, {}).own
  const loopback = "127.0.0.1"
  const expected: readonly PortRow[] = [
    // The API server of `up` has no default in its flag: the next free port is tried.
    { program: "up", flag: "--port", port: nextFree(defaultPort), address: loopback },
    { program: "up", flag: "none", port: nextFree(discoveryPort), address: loopback },
    { program: "up", flag: "none", port: nextFree(defaultDebugPort), address: loopback },
    { program: "up --exec", flag: "none", port: String(place.port), address: place.host },
    {
      program: "apiserver",
      flag: "--secure-port",
      port: String(await defaultOf("apiserver", "--secure-port")),
      address: String(await defaultOf("apiserver", "--bind-address")),
    },
    { program: "run", flag: "--secure-port", port: String(run["secure-port"]), address: run["bind-address"] },
    { program: "run --openstack", flag: "--secure-port", port: String(handlers["secure-port"]), address: handlers["bind-address"] },
    {
      program: "discovery",
      flag: "--port",
      port: nextFree(Number(await defaultOf("discovery", "--port"))),
      address: String(await defaultOf("discovery", "--bind-address")),
    },
    { program: "discovery", flag: "--debug-port", port: nextFree(Number(await defaultOf("discovery", "--debug-port"))), address: loopback },
  ]
  expect(portRows()).toEqual(expect.arrayContaining([...expected]))
  expect(await defaultOf("up", "--port")).toBeUndefined()
  const ranges = ["ports of a Service", "nodePort of a Service"]
  const others = portRows().filter(({ program, flag }) => !ranges.includes(flag) && program !== "up --openstack")
  expect(others).toHaveLength(expected.length)
})

test("every row of a port that opens to other machines has a flag for it", async () => {
  for (const command of ["up", "apiserver", "discovery"]) await defaultOf(command, "--bind-address")
  expect(text).toContain(
    "`--bind-address` opens the API server (`up`, `apiserver`), the port of `run` and, only with TLS, xDS of `discovery`",
  )
})
