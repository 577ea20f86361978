import { controllerRef, deepEqual, setCondition } from "@pilothouse/api"
import { type ConfigMap, configMaps, type Service, services } from "@pilothouse/api/core/v1"
import { byController, controller, plan } from "@pilothouse/runtime"

const pages = byController(configMaps)

/** Keeps a ConfigMap beside every Service, with the address it can be reached at, and says so in the Service's status. */
export const addressBook = controller("address-book", {
  for: services,
  owns: [configMaps],
  indexes: [pages],
  // observe stands before decide: from what it returns the compiler knows what decide gets.
  observe: (key, read) => {
    const service = read.get(services, key)
    return service && { service, page: read.byIndex(pages, service.metadata.uid ?? "")[0] }
  },
  decide: ({ service, page }, { now }) => {
    const wanted = pageOf(service)
    const made = plan()
    if (page === undefined)
      made.create(wanted, "the Service has no page").event(service, "Normal", "Listed", `Listed in ${wanted.metadata.name}`)
    // An update says all that is to be there; a patch would leave what another client added.
    else if (!deepEqual(page.data, wanted.data))
      made.update({ ...page, data: wanted.data }, "the page says something else than the Service")
    const conditions = setCondition(
      service.status?.conditions,
      { type: "example.com/Listed", status: "True", reason: "PageWritten", message: "" },
      now,
    )
    // setCondition gives the same list back when nothing changes: a status is written only when it is another.
    if (conditions !== service.status?.conditions) made.nextStep().status(service, { ...service.status, conditions }, "its page is written")
    return made.steps.length > 0 ? made : made.nothing("its page is up to date")
  },
})

function pageOf(service: Service): ConfigMap {
  const { name, namespace } = service.metadata
  const ports = (service.spec?.ports ?? []).map(({ port }) => port)
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    // The owner reference enqueues the Service when its page changes, and lets the garbage collector take the page with it.
    metadata: { name: `${name}-address`, namespace, ownerReferences: [controllerRef(service, services)] },
    data: { host: `${name}.${namespace}.svc`, ports: ports.join(",") },
  }
}
