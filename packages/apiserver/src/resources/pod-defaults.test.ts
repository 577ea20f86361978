import { expect, test } from "vitest"
import { everyWay, objectIn, type TestServer } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"
const container = { name: "c", image: "i" }

async function made(api: TestServer, spec: object, body: object = {}) {
  return objectIn(await api.post(pods, { metadata: { name: "x" }, spec: { containers: [container], ...spec }, ...body }), 201)
}

/** Spec 1.11, line by line. */
everyWay("what a pod is where its author was silent", (testServer) => {
  test("the pod itself", async () => {
    const { spec, status } = await made(testServer(), {}, { status: { phase: "Running", podIP: "10.0.0.9" } })
    expect(spec).toMatchObject({
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      terminationGracePeriodSeconds: 30,
      schedulerName: "default-scheduler",
      securityContext: {},
      enableServiceLinks: true,
    })
    // What the author says of the state is not believed.
    expect(status).toEqual({ phase: "Pending", qosClass: "BestEffort" })
  })

  test("a template has no links, for the pod gets them", async () => {
    const body = {
      metadata: { name: "x" },
      spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } } },
    }
    const { spec } = objectIn(await testServer().post("/apis/apps/v1/namespaces/default/deployments", body), 201)
    expect(JSON.stringify(spec)).not.toContain("enableServiceLinks")
  })

  test.each([
    ["i", "Always"],
    ["i:latest", "Always"],
    ["r.test:5000/i", "Always"],
    ["i:1", "IfNotPresent"],
    ["i@sha256:0123", "IfNotPresent"],
  ])("the image %s is pulled %s", async (image, imagePullPolicy) => {
    const { spec } = await made(testServer(), { containers: [{ name: "c", image }] })
    expect(spec).toMatchObject({ containers: [{ imagePullPolicy }] })
  })

  test("a container", async () => {
    const ports = [{ containerPort: 80 }]
    const probe = { httpGet: { port: 80 } }
    const env = [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }]
    const resources = { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } }
    const { spec } = await made(testServer(), { containers: [{ ...container, ports, env, resources, livenessProbe: probe }] })
    expect(spec).toMatchObject({
      containers: [
        {
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          ports: [{ protocol: "TCP" }],
          env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }],
          resources: { requests: { cpu: "1", memory: "1Gi" } },
          livenessProbe: {
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
            httpGet: { path: "/", scheme: "HTTP" },
          },
        },
      ],
    })
  })

  test("an account has two names", async () => {
    expect((await made(testServer(), { serviceAccountName: "s" })).spec).toMatchObject({ serviceAccount: "s", serviceAccountName: "s" })
    expect((await made(testServer(), { serviceAccount: "s" })).spec).toMatchObject({ serviceAccount: "s", serviceAccountName: "s" })
  })

  test("on the host's network ports are the host's", async () => {
    const { spec } = await made(testServer(), { hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80 }] }] })
    expect(spec).toMatchObject({ containers: [{ ports: [{ hostPort: 80 }] }] })
  })

  test("in a template they are as its author wrote them", async () => {
    const ports = [{ containerPort: 80 }]
    const template = { metadata: { labels: { a: "b" } }, spec: { hostNetwork: true, containers: [{ ...container, ports }] } }
    const spec = { selector: { matchLabels: { a: "b" } }, template }
    const body = { metadata: { name: "d" }, spec }
    const { spec: stored } = objectIn(await testServer().post("/apis/apps/v1/namespaces/default/deployments", body), 201)
    expect(stored).toMatchObject({ template: { spec: { containers: [{ ports: [{ containerPort: 80, protocol: "TCP" }] }] } } })
    expect(JSON.stringify(stored)).not.toContain("hostPort")
  })

  test("volumes", async () => {
    const sources = [{ serviceAccountToken: { path: "t" } }]
    const volumes = [
      { name: "a" },
      { name: "b", secret: { secretName: "s" } },
      { name: "c", configMap: { name: "m" } },
      { name: "d", downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] } },
      { name: "e", projected: { sources } },
    ]
    expect((await made(testServer(), { volumes })).spec).toMatchObject({
      volumes: [
        { emptyDir: {} },
        { secret: { defaultMode: 420 } },
        { configMap: { defaultMode: 420 } },
        { downwardAPI: { defaultMode: 420, items: [{ fieldRef: { apiVersion: "v1" } }] } },
        { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
      ],
    })
  })
})
