import { connect } from "node:http2"
import { request } from "node:https"
import { silentLog, type Transport, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, onTestFinished, test } from "vitest"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
import { type ServeOptions, serveHttps } from "./serve.ts"

const echo: Transport = async ({ body }) => ({ status: 200, headers: {}, body: valueBody(body?.type === "bytes" ? body.bytes.length : 0) })

/** A server whose users are known only after several turns of the event loop, as those of a webhook. */
async function served(transportFor: () => Transport | Promise<never>) {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  const certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const late: ServeOptions["transportFor"] = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    return transportFor()
  }
  const server = await serveHttps({ ...seams, certificates, host: "127.0.0.1", port: 0, log: silentLog, transportFor: late })
  onTestFinished(() => server.close(0))
  return { port: server.port, ca: certificates.ca.certificate }
}

interface Reached {
  readonly port: number
  readonly ca: string
}

function overHttp1({ port, ca }: Reached, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length }
    const asked = request({ host: "127.0.0.1", port, ca, agent: false, method: "POST", path: "/x", headers }, (response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => (text += String(chunk)))
      response.on("end", () => resolve(`${response.statusCode} ${text}`))
    })
    asked.on("error", reject)
    asked.end(body)
  })
}

function overHttp2({ port, ca }: Reached, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { ca })
    session.on("error", reject)
    const stream = session.request({ ":method": "POST", ":path": "/x", "content-type": "application/json" })
    let [code, text] = [0, ""]
    stream.on("response", (headers) => (code = Number(headers[":status"])))
    stream.on("data", (chunk: Buffer) => (text += String(chunk)))
    stream.on("error", reject)
    stream.on("end", () => {
      session.destroy()
      resolve(`${code} ${text}`)
    })
    stream.end(body)
  })
}

test.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
])("over %s a body is read whole when its user is known late", async (_protocol, post) => {
  const reached = await served(() => echo)
  expect(await post(reached, "{}")).toMatch(/^200 2\s*$/)
  expect(await post(reached, " ".repeat(1_000_000))).toMatch(/^200 1000000\s*$/)
})

test.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
])("over %s a client that is refused late gets its answer", async (_protocol, post) => {
  const reached = await served(() => Promise.reject(new Error("no")))
  expect(await post(reached, "{}")).toMatch(/^500 /)
  expect(await post(reached, " ".repeat(1_000_000))).toMatch(/^500 /)
})
