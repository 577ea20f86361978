import type { Int64 } from "@pilothouse/api"
import { encodeProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import { exactNumber } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { directories, runs } from "./storage/disk/testing/disk-directory.ts"
import { everyWay, objectIn, statusIn, type TestServer, testServer } from "./testing/server.ts"

const jobs = "/apis/batch/v1/namespaces/default/jobs"
const pods = "/api/v1/namespaces/default/pods"
const services = "/api/v1/namespaces/default/services"
const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions"
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }
const maxInt64 = 2n ** 63n - 1n
const longIntegers = [2n ** 53n, 2n ** 53n + 1n, maxInt64]

const job = (activeDeadlineSeconds: Int64, name = "j") => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: { suspend: true, activeDeadlineSeconds, template },
})
const jsonJob = (literal: string) =>
  `{"metadata":{"name":"j"},"spec":{"suspend":true,"activeDeadlineSeconds":${literal},"template":${JSON.stringify(template)}}}`
const yamlJob = (literal: string) =>
  `metadata: {name: j}\nspec:\n  suspend: true\n  activeDeadlineSeconds: ${literal}\n  template: ${JSON.stringify(template)}\n`

function send({ transport }: TestServer, path: string, body: string | Uint8Array, contentType = "application/json") {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return transport({ verb: "POST", path, query: {}, headers: {}, body: { type: "bytes", bytes, contentType } })
}

everyWay("an integer beyond 2^53 comes back as it was sent", (testServer) => {
  test.each(longIntegers)("%s in a body, a list and a watch", async (value) => {
    const server = testServer()
    const watch = await server.watch(jobs)
    expect(objectIn(await server.post(jobs, job(value)), 201).spec?.activeDeadlineSeconds).toBe(value)
    expect(objectIn(await server.get(`${jobs}/j`)).spec?.activeDeadlineSeconds).toBe(value)
    expect(objectIn(await server.get(jobs)).items?.map(({ spec }) => spec?.activeDeadlineSeconds)).toEqual([value])
    expect((await watch.read()).map(({ object }) => object.spec?.activeDeadlineSeconds)).toEqual([value])
  })

  test.each(longIntegers)("%s as JSON, YAML and protobuf", async (value) => {
    for (const [body, type] of [
      [jsonJob(`${value}`), "application/json"],
      [yamlJob(`${value}`), "application/yaml"],
      [encodeProtobuf(job(value)), protobufContentType],
    ] as const) {
      expect(objectIn(await send(testServer(), jobs, body, type), 201).spec?.activeDeadlineSeconds).toBe(value)
    }
  })

  test.each(longIntegers)("%s in an update and in patches", async (value) => {
    const server = testServer()
    await server.post(jobs, job(1))
    const spec = { activeDeadlineSeconds: value }
    const back = (response: Parameters<typeof objectIn>[0]) => objectIn(response).spec?.activeDeadlineSeconds
    const present = objectIn(await server.get(`${jobs}/j`))
    expect(back(await server.put(`${jobs}/j`, { ...present, spec: { ...present.spec, ...spec } }))).toBe(value)
    expect(back(await server.patch(`${jobs}/j`, "merge", { spec: { activeDeadlineSeconds: value - 1n } }))).toBe(exactNumber(value - 1n))
    expect(back(await server.patch(`${jobs}/j`, "strategic", { spec }))).toBe(value)
    const place = { path: "/spec/activeDeadlineSeconds" }
    const operations = [
      { op: "test", ...place, value },
      { op: "replace", ...place, value: exactNumber(value - 1n) },
    ]
    expect(back(await server.patch(`${jobs}/j`, "json", operations))).toBe(exactNumber(value - 1n))
    // Its neighbour is the same number to JSON.parse.
    expect(statusIn(await server.patch(`${jobs}/j`, "json", operations)).code).toBe(422)
  })

  test("an update that changes nothing is none", async () => {
    const server = testServer()
    const { metadata } = objectIn(await server.post(jobs, job(maxInt64)), 201)
    const after = objectIn(await server.patch(`${jobs}/j`, "merge", { spec: { activeDeadlineSeconds: maxInt64 } }))
    expect(after.metadata.resourceVersion).toBe(metadata.resourceVersion)
    const other = objectIn(await server.patch(`${jobs}/j`, "merge", { spec: { activeDeadlineSeconds: maxInt64 - 1n } }))
    expect(other.metadata).toMatchObject({ generation: 2 })
  })

  test("in opaque JSON, in a quantity, and where a field is there twice", async () => {
    const server = testServer()
    const revision = `{"metadata":{"name":"r"},"revision":1,"revision":9007199254740993,"data":{"a":[9007199254740993,-9223372036854775808,1]}}`
    expect(objectIn(await send(server, revisions, revision), 201)).toMatchObject({
      revision: 9007199254740993n,
      data: { a: [9007199254740993n, -9223372036854775808n, 1] },
    })
    const requests = `{"memory":9007199254740993,"ephemeral-storage":99999999999999999999}`
    const pod = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":${requests}}}]}}`
    expect(objectIn(await send(server, pods, pod), 201).spec?.containers).toMatchObject([
      { resources: { requests: { memory: "9007199254740993", "ephemeral-storage": "99999999999999999999" } } },
    ])
  })

  test("a Table shows all digits", async () => {
    const server = testServer()
    await send(server, revisions, `{"metadata":{"name":"r"},"revision":${maxInt64},"data":{}}`)
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    const table = objectIn(await server.ask("GET", revisions, { headers: { accept } })) as { rows?: readonly { cells: unknown[] }[] }
    expect(table.rows?.[0]?.cells[2]).toBe(maxInt64)
  })
})

everyWay("an integer that its field cannot hold is refused in full (seen)", (testServer) => {
  test.each([
    ["9223372036854775808", "number 9223372036854775808"],
    ["99999999999999999999", "number 99999999999999999999"],
    ["-9223372036854775809", "number -9223372036854775809"],
    ["1.5", "number 1.5"],
    ["true", "bool"],
  ])("activeDeadlineSeconds: %s", async (literal, found) => {
    expect(statusIn(await send(testServer(), jobs, jsonJob(literal)))).toMatchObject({
      code: 400,
      message: `Job in version "v1" cannot be handled as a Job: json: cannot unmarshal ${found} into Go struct field JobSpec.spec.activeDeadlineSeconds of type int64`,
    })
  })

  // As kube-apiserver 1.36.3 answers: an integer is read by its text, also where its value is whole.
  const fractions = ["1.0", "1.00", "1e0", "1e2", "1E2", "1.5e1", "15e-1", "-1.0", "-0.0", "0.0", "1e10", "1e400", "9007199254740993.0"]
  test.each(fractions)("%s where an integer belongs, in JSON", async (literal) => {
    const refused = `json: cannot unmarshal number ${literal} into Go struct field`
    const service = `{"metadata":{"name":"s"},"spec":{"ports":[{"port":80,"targetPort":${literal}}]}}`
    const rows = [
      [jobs, jsonJob(literal), "Job", "JobSpec.spec.activeDeadlineSeconds of type int64"],
      [jobs, jsonJob(`1,"parallelism": ${literal}`), "Job", "JobSpec.spec.parallelism of type int32"],
      [services, service, "Service", "ServicePort.spec.ports.targetPort of type int32"],
    ] as const
    for (const [path, body, kind, place] of rows)
      expect(statusIn(await send(testServer(), path, body))).toMatchObject({
        code: 400,
        reason: "BadRequest",
        message: `${kind} in version "v1" cannot be handled as a ${kind}: ${refused} ${place}`,
      })
  })

  test.each([
    ["1.0", 1],
    ["1e2", 100],
    ["1.5e1", 15],
    ["10e-1", 1],
    ["9007199254740993.0", 9007199254740992],
  ])("%s is an integer in YAML, and beside a fraction in a text or in a field for any value", async (literal, value) => {
    const job = objectIn(await send(testServer(), jobs, yamlJob(literal), "application/yaml"), 201) as { spec?: Record<string, unknown> }
    expect(Number(job.spec?.activeDeadlineSeconds)).toBe(value)
    const text = `{"metadata":{"name":"r","annotations":{"a":"[1.0,2.5],\\":1.5"}},"revision":1,"data":{"list":[1.0,2e3],"one":1.5}}`
    expect(objectIn(await send(testServer(), revisions, text), 201)).toMatchObject({ revision: 1, data: { list: [1, 2000], one: 1.5 } })
  })

  test.each([
    ["0xffffffffffffffff", "number 18446744073709551615"],
    ["18446744073709551616", "number 18446744073709552000"],
    ["99999999999999999999", "number 100000000000000000000"],
    ["-9223372036854775809", "number -9223372036854776000"],
    ["0x1ffffffffffffffff", "string"],
  ])("activeDeadlineSeconds: %s in YAML", async (literal, found) => {
    const { message } = statusIn(await send(testServer(), jobs, yamlJob(literal), "application/yaml"))
    expect(message).toContain(`json: cannot unmarshal ${found} into Go struct field JobSpec.spec.activeDeadlineSeconds of type int64`)
  })

  test.each([
    ["parallelism", "2147483648", "number 2147483648", "JobSpec.spec.parallelism of type int32"],
    ["parallelism", "9007199254740993", "number 9007199254740993", "JobSpec.spec.parallelism of type int32"],
  ])("%s: %s", async (field, literal, found, place) => {
    const { message } = statusIn(await send(testServer(), jobs, jsonJob(`1,"${field}":${literal}`)))
    expect(message).toContain(`json: cannot unmarshal ${found} into Go struct field ${place}`)
  })

  test.each(["5000000000", "9007199254740993", "99999999999999999999", "-2147483649"])("targetPort: %s", async (literal) => {
    const service = `{"metadata":{"name":"s"},"spec":{"ports":[{"port":80,"targetPort":${literal}}]}}`
    const into = "into Go struct field ServicePort.spec.ports.targetPort of type int32"
    expect(statusIn(await send(testServer(), services, service)).message).toContain(`json: cannot unmarshal number ${literal} ${into}`)
  })

  test.each([
    [
      {},
      '{"gracePeriodSeconds":99999999999999999999}',
      "json: cannot unmarshal number 99999999999999999999 into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    ],
    [{ gracePeriodSeconds: "99999999999999999999" }, "", 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    [{ gracePeriodSeconds: "x" }, "", 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])("a deletion with %o %s", async (query, text, message) => {
    const body = { type: "bytes", bytes: new TextEncoder().encode(text), contentType: "application/json" } as const
    const response = await testServer().transport({ verb: "DELETE", path: `${pods}/p`, query, headers: {}, ...(text !== "" && { body }) })
    expect(statusIn(response)).toMatchObject({ code: 400, message })
  })

  test("a Pod with a user and a deadline beyond 32 bits", async () => {
    const container = '{"name":"c","image":"i","securityContext":{"runAsUser":9007199254740993}}'
    const pod = `{"metadata":{"name":"p"},"spec":{"activeDeadlineSeconds":9007199254740993,"containers":[${container}]}}`
    expect(statusIn(await send(testServer(), pods, pod)).message).toBe(
      'Pod "p" is invalid: [spec.containers[0].securityContext.runAsUser: Invalid value: 9007199254740993: must be between 0 and 2147483647, inclusive, spec.activeDeadlineSeconds: Invalid value: 9007199254740993: must be between 1 and 2147483647, inclusive]',
    )
  })
})

test.each(longIntegers)("a Pod with %s seconds to end is deleted with all of them, and by a time that can be written", async (value) => {
  const server = testServer("through JSON")
  const spec = { nodeName: "n", terminationGracePeriodSeconds: value, containers: [{ name: "c", image: "i" }] }
  await server.post(pods, { metadata: { name: "p" }, spec })
  expect(objectIn(await server.delete(`${pods}/p`)).metadata).toMatchObject({
    deletionGracePeriodSeconds: value,
    deletionTimestamp: expect.stringMatching(/^2\d{3}-/),
  })
  expect(objectIn(await server.delete(`${pods}/p`, { gracePeriodSeconds: value - 1n })).metadata).toMatchObject({
    deletionGracePeriodSeconds: exactNumber(value - 1n),
  })
})

test("any int64 is the same after JSON, YAML, protobuf and every patch", async () => {
  const server = testServer("through JSON")
  await send(server, revisions, '{"metadata":{"name":"r"},"revision":0,"data":{}}')
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 0n, max: maxInt64 }), async (wide) => {
      const value = exactNumber(wide)
      const revision = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { generateName: "r-" }, revision: value, data: {} }
      const found = [
        await send(server, revisions, `{"metadata":{"generateName":"r-"},"revision":${wide},"data":{}}`),
        await send(server, revisions, `metadata: {generateName: r-}\nrevision: ${wide}\ndata: {}\n`, "application/yaml"),
        await send(server, revisions, encodeProtobuf(revision), protobufContentType),
        await server.patch(`${revisions}/r`, "merge", { revision: value }),
        await server.patch(`${revisions}/r`, "strategic", { revision: value }),
        await server.patch(`${revisions}/r`, "json", [
          { op: "test", path: "/revision", value },
          { op: "add", path: "/revision", value },
        ]),
      ].map((response) => (objectIn(response, response.status) as { revision?: unknown }).revision)
      expect(found).toEqual(found.map(() => value))
    }),
    { numRuns: 50 },
  )
})

const directory = directories()

test("a server that is started again finds them on the disk, in the log and in a snapshot", async () => {
  const run = runs(directory())
  const values = async (server: TestServer) => objectIn(await server.get(jobs)).items?.map(({ spec }) => spec?.activeDeadlineSeconds)
  const first = testServer("in process", { clock: run.clock, storage: await run.open() })
  for (const [at, value] of longIntegers.entries()) objectIn(await first.post(jobs, job(value, `j${at}`)), 201)
  await first.server.close()
  const storage = await run.open()
  const second = testServer("in process", { clock: run.clock, storage })
  expect(await values(second)).toEqual(longIntegers)
  await storage.compact(storage.revision)
  await second.server.close()
  const third = testServer("in process", { clock: run.clock, storage: await run.open() })
  expect(await values(third)).toEqual(longIntegers)
  await third.server.close()
})

test("the body of a deletion may name a version that no integer holds", async () => {
  const server = testServer("through JSON")
  const body = { type: "bytes", bytes: new TextEncoder().encode('{"kind":"X","apiVersion":123456789012345678901234567890}') } as const
  const path = "/api/v1/namespaces/default/configmaps/a"
  const json = { ...body, contentType: "application/json" }
  const response = await server.transport({ verb: "DELETE", path, query: {}, headers: {}, body: json })
  expect(statusIn(response)).toMatchObject({ code: 400, message: expect.stringContaining("version 123456789012345678901234567890 ") })
})
