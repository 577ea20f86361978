import {
  applied,
  configMap,
  create,
  createDeployment,
  get,
  jsonPatch,
  merge,
  mutating,
  type PolicyDefinition,
  type PolicyScenario,
  rulesOf,
} from "./policy-scenario.ts"

const dear =
  "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a != b + c + d + e + 1000)))))"
const add = (path: string, value: string): string => `[JSONPatch{op: 'add', path: '${path}', value: ${value}}]`
const label = (name: string, value = "'yes'"): string => `Object{metadata: Object.metadata{labels: {'${name}': ${value}}}}`

/** Each with both failure policies. */
const patches: Readonly<Record<string, string>> = {
  "of data": add("/data/added", "'1'"),
  "of labels": add("/metadata/labels", "{'a': 'b'}"),
  "with an object": add("/metadata", "Object.metadata{name: 'c', labels: {'a': 'b'}}"),
  "of several":
    "[JSONPatch{op: 'add', path: '/data/x', value: '1'}, JSONPatch{op: 'copy', from: '/data/x', path: '/data/y'}, JSONPatch{op: 'move', from: '/data/a', path: '/data/z'}]",
  "with a test": "[JSONPatch{op: 'test', path: '/data/a', value: 'b'}, JSONPatch{op: 'replace', path: '/data/a', value: 'c'}]",
  "with a test that fails": "[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'replace', path: '/data/a', value: 'c'}]",
  "that removes": "[JSONPatch{op: 'remove', path: '/data/a'}]",
  "that removes what is missing": "[JSONPatch{op: 'remove', path: '/data/z'}]",
  "that replaces what is missing": "[JSONPatch{op: 'replace', path: '/data/z', value: '1'}]",
  "that adds below nothing": add("/metadata/labels/a", "'b'"),
  "with an escaped key":
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}, JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('example.com/x~y'), value: 'z'}]",
  "of another type": add("/data/added", "7"),
  "of a list where a map stands": add("/data", "['a']"),
  "of an unknown field": add("/unknown", "'1'"),
  "of nothing": "[]",
  "of null": add("/data/added", "null"),
  "that changes nothing": "[JSONPatch{op: 'replace', path: '/data/a', value: 'b'}]",
  "with an unknown operation": "[JSONPatch{op: 'explode', path: '/data/a'}]",
  "without a path": "[JSONPatch{op: 'add', value: '1'}]",
  "by a condition": "has(object.metadata.labels) ? [] : [JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': 'y'}}]",
  "that fails": add("/data/added", "object.data.z"),
  "that costs too much": add("/data/added", `${dear} ? 'a' : 'b'`),
  "of the name": add("/metadata/name", "'other'"),
  "with an invalid result": add("/data", "{'bad key': 'x'}"),
  "of the managers": "[JSONPatch{op: 'remove', path: '/metadata/managedFields'}]",
  "of bytes": add("/binaryData", "{'x': b'abc'}"),
}

const configurations: Readonly<Record<string, string>> = {
  "of labels": label("a"),
  "of data": "Object{data: {'added': '1'}}",
  "that replaces": "Object{data: {'a': 'c'}}",
  "of nothing": "Object{}",
  "of another type": "Object{data: {'added': 7}}",
  "with a wrong type name": "Object{metadata: Object.spec{labels: {'a': 'b'}}}",
  "of an unknown field": "Object{unknown: 'x'}",
  "of an unknown field below": "Object{metadata: Object.metadata{unknown: 'x'}}",
  "with a kind": "Object{kind: 'Other', data: {'added': '1'}}",
  "with an optional field": "Object{data: {?'added': optional.none(), 'other': 'x'}}",
  "of null": "Object{data: null}",
  "of a name": "Object{metadata: Object.metadata{name: 'other'}}",
  "of finalizers": "Object{metadata: Object.metadata{finalizers: ['example.com/f']}}",
  "of owners":
    "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u'}]}}",
  "that fails": label("a", "object.data.z"),
  "that costs too much": label("a", `${dear} ? 'a' : 'b'`),
  "of the request": label("a", "request.operation + '.' + request.userInfo.username"),
  "of the namespace": label("a", "namespaceObject.metadata.name"),
  "of rights": label("a", "authorizer.group('').resource('pods').check('get').allowed() ? 'may' : 'may-not'"),
}

/** Of a Deployment, whose lists are merged by key. */
const workloads: Readonly<Record<string, string>> = {
  "a container beside another":
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'side', image: 'x'}]}}}}",
  "the image of a container":
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'c', image: 'x'}]}}}}",
  "an env of every container":
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, env: [Object.spec.template.spec.containers.env{name: 'E', value: 'v'}]})}}}}",
  "an atomic list":
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'c', args: ['a']}]}}}}",
  "an atomic map": "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{nodeSelector: {'a': 'b'}}}}}",
  "an atomic struct": "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'x': 'y'}}}}",
  "a container without a name":
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{image: 'x'}]}}}}",
  "a container twice":
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'x', image: 'x'}, Object.spec.template.spec.containers{name: 'x', image: 'y'}]}}}}",
  "a number": "Object{spec: Object.spec{replicas: 3}}",
  "a double": "Object{spec: Object.spec{replicas: 3.5}}",
  "a number that is a text": "Object{spec: Object.spec{replicas: '3'}}",
  "an int-or-string":
    "Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{maxSurge: 2}}}}",
  "an invalid result": "Object{spec: Object.spec{replicas: -3}}",
}

const ofDeployments = { matchConstraints: rulesOf("deployments") }
const again = { reinvocationPolicy: "IfNeeded" }
const rounds: readonly PolicyScenario[] = [
  {
    name: "two mutations in order",
    policies: [mutating({ mutations: [applied(label("a")), applied(label("b", "object.metadata.labels['a']"))] })],
    requests: [create, get],
  },
  {
    name: "a mutation that fails between two",
    policies: [
      mutating({ failurePolicy: "Ignore", mutations: [applied(label("a")), applied(label("b", "object.data.z")), applied(label("c"))] }),
    ],
    requests: [create, get],
  },
  {
    name: "two mutations that fail",
    policies: [mutating({ mutations: [applied(label("a", "object.data.z")), applied(label("b", "object.data.y"))] })],
    requests: [create],
  },
  {
    name: "a chain that is longer than two rounds allow, from its end",
    policies: [mutating({ ...again, mutations: [applied(label("a"))] })],
    requests: [create, get],
  },
  {
    name: "a policy that counts its calls",
    policies: [
      mutating({
        ...again,
        mutations: [
          applied(label("n", "has(object.metadata.labels) && 'n' in object.metadata.labels ? object.metadata.labels['n'] + '1' : '1'")),
        ],
      }),
    ],
    requests: [create, get],
  },
  {
    // Which of them is first is not known: upstream has policies in the order of a map. Where one is skipped in the first round that would show.
    name: "a policy that reads what another adds, whichever comes first",
    policies: [
      mutating({
        ...again,
        mutations: [applied(label("b", "has(object.metadata.labels) && 'a' in object.metadata.labels ? 'seen' : 'unseen'"))],
      }),
      mutating({ ...again, mutations: [applied(label("a"))] }),
    ],
    requests: [create, get],
  },
  {
    name: "a policy that is called once",
    policies: [
      mutating({
        mutations: [
          applied(label("n", "has(object.metadata.labels) && 'n' in object.metadata.labels ? object.metadata.labels['n'] + '1' : '1'")),
        ],
      }),
    ],
    requests: [create, get],
  },
  {
    name: "a condition that does not hold",
    policies: [mutating({ matchConditions: [{ name: "c", expression: "false" }], mutations: [applied(label("a"))] })],
    requests: [create, get],
  },
  {
    name: "a condition that fails",
    policies: [mutating({ matchConditions: [{ name: "c", expression: "object.data.z == ''" }], mutations: [applied(label("a"))] })],
    requests: [create],
  },
  {
    name: "a condition that fails, ignored",
    policies: [
      mutating({
        failurePolicy: "Ignore",
        matchConditions: [{ name: "c", expression: "object.data.z == ''" }],
        mutations: [applied(label("a"))],
      }),
    ],
    requests: [create, get],
  },
  {
    name: "variables",
    policies: [
      mutating({
        variables: [
          { name: "v", expression: "object.data.a + '1'" },
          { name: "w", expression: "variables.v + '2'" },
        ],
        mutations: [applied(label("a", "variables.w")), jsonPatch(add("/data/w", "variables.w"))],
      }),
    ],
    requests: [create, get],
  },
  {
    name: "a variable of an earlier mutation",
    policies: [
      mutating({
        variables: [{ name: "v", expression: "has(object.metadata.labels) ? 'labels' : 'none'" }],
        mutations: [applied(label("a", "variables.v")), applied(label("b", "variables.v"))],
      }),
    ],
    requests: [create, get],
  },
  {
    name: "a variable that fails",
    policies: [mutating({ variables: [{ name: "v", expression: "object.data.z" }], mutations: [applied(label("a", "variables.v"))] })],
    requests: [create],
  },
  { name: "two bindings", policies: [{ ...mutating({ mutations: [applied(label("a"))] }), bindings: [{}, {}] }], requests: [create, get] },
  { name: "no binding", policies: [{ ...mutating({ mutations: [applied(label("a"))] }), bindings: [] }], requests: [create, get] },
  {
    name: "an update",
    policies: [mutating({ mutations: [applied(label("op", "request.operation"))] })],
    requests: [create, merge("/configmaps/c", { data: { x: "y" } }), get],
  },
  {
    name: "an update of what it changes",
    policies: [mutating({ mutations: [applied(label("a"))] })],
    requests: [create, merge("/configmaps/c", { metadata: { labels: { a: "other" } } }), get],
  },
  {
    name: "an apply",
    policies: [mutating({ mutations: [applied(label("a"))] })],
    requests: [
      {
        verb: "PATCH",
        path: "/configmaps/c",
        body: configMap,
        contentType: "application/apply-patch+yaml",
        query: { fieldManager: "applier" },
      },
      get,
    ],
  },
  {
    name: "a dry run",
    policies: [mutating({ mutations: [applied(label("a", "request.dryRun ? 'dry' : 'wet'"))] })],
    requests: [{ ...create, query: { dryRun: "All" } }, get],
  },
  {
    name: "a delete",
    policies: [mutating({ mutations: [applied(label("a"))] }, { matchConstraints: rulesOf("configmaps", "", "v1", ["CREATE", "UPDATE"]) })],
    requests: [create, { verb: "DELETE", path: "/configmaps/c" }],
  },
  {
    name: "a status",
    policies: [
      mutating({ mutations: [jsonPatch(add("/status/observedGeneration", "7"))] }, { matchConstraints: rulesOf("deployments/status") }),
    ],
    requests: [createDeployment, merge("apps/v1/deployments/d/status", { status: { replicas: 1 } })],
  },
  {
    name: "a scale",
    policies: [
      mutating({ mutations: [applied("Object{spec: Object.spec{replicas: 5}}")] }, { matchConstraints: rulesOf("deployments/scale") }),
    ],
    requests: [createDeployment, merge("apps/v1/deployments/d/scale", { spec: { replicas: 3 } })],
  },
  {
    name: "an object selector",
    policies: [mutating({ mutations: [applied(label("a"))] }, { matchConstraints: { objectSelector: { matchLabels: { x: "y" } } } })],
    requests: [create, get],
  },
  {
    name: "a generated name",
    policies: [mutating({ mutations: [applied(label("a", "object.metadata.generateName + 'x'"))] })],
    requests: [{ ...create, body: { ...configMap, metadata: { generateName: "g-" } } }],
  },
  {
    name: "a custom resource",
    policies: [
      mutating(
        { mutations: [applied("Object{spec: Object.spec{value: 'changed'}}")] },
        { matchConstraints: rulesOf("limits", "policies.example.com") },
      ),
    ],
    requests: [
      {
        verb: "POST",
        path: "policies.example.com/v1/limits",
        body: { apiVersion: "policies.example.com/v1", kind: "Limit", metadata: { name: "l" }, spec: { value: "x", max: 3 } },
        query: { fieldManager: "tester" },
      },
    ],
  },
  {
    name: "a patch of a custom resource",
    policies: [
      mutating(
        { mutations: [jsonPatch(add("/spec/most", "object.spec.most + 1"))] },
        { matchConstraints: rulesOf("limits", "policies.example.com") },
      ),
    ],
    requests: [
      {
        verb: "POST",
        path: "policies.example.com/v1/limits",
        body: { apiVersion: "policies.example.com/v1", kind: "Limit", metadata: { name: "l" }, spec: { value: "x", max: 3 } },
        query: { fieldManager: "tester" },
      },
    ],
  },
  {
    name: "an unknown field of a custom resource",
    policies: [
      mutating({ mutations: [jsonPatch(add("/spec/unknown", "'x'"))] }, { matchConstraints: rulesOf("limits", "policies.example.com") }),
    ],
    requests: [
      {
        verb: "POST",
        path: "policies.example.com/v1/limits",
        body: { apiVersion: "policies.example.com/v1", kind: "Limit", metadata: { name: "l" }, spec: { value: "x", max: 3 } },
        query: { fieldManager: "tester" },
      },
    ],
  },
]

const refused: Readonly<Record<string, PolicyDefinition>> = {
  "no mutations": mutating({ mutations: [] }),
  "an unknown field of a patch": mutating({ mutations: [jsonPatch("[JSONPatch{operation: 'add'}]")] }),
  "a patch of another type": mutating({ mutations: [jsonPatch("'a'")] }),
  "a patch of maps": mutating({ mutations: [jsonPatch("[{'op': 'add'}]")] }),
  "a configuration of another type": mutating({ mutations: [applied("{'a': 'b'}")] }),
  "an expression that does not compile": mutating({ mutations: [applied("Object{")] }),
  "both kinds of patch": mutating({ mutations: [{ ...jsonPatch("[]"), applyConfiguration: { expression: "Object{}" } }] }),
  "no patch": mutating({ mutations: [{ patchType: "JSONPatch" }] }),
  "an unknown patch type": mutating({ mutations: [{ patchType: "Merge", jsonPatch: { expression: "[]" } }] }),
  "a delete": mutating({ mutations: [applied(label("a"))] }, { matchConstraints: rulesOf("configmaps", "", "v1", ["DELETE"]) }),
  "all operations": mutating({ mutations: [applied(label("a"))] }, { matchConstraints: rulesOf("configmaps", "", "v1", ["*"]) }),
  "no reinvocation policy": mutating({ reinvocationPolicy: undefined, mutations: [applied(label("a"))] }),
  "an unknown reinvocation policy": mutating({ reinvocationPolicy: "Often", mutations: [applied(label("a"))] }),
}

const both = (
  kind: string,
  expressions: Readonly<Record<string, string>>,
  mutation: (expression: string) => object,
): readonly PolicyScenario[] =>
  Object.entries(expressions).flatMap(([name, expression]) =>
    ["Fail", "Ignore"].map(
      (failurePolicy): PolicyScenario => ({
        name: `a ${kind} ${name}, ${failurePolicy}`,
        policies: [mutating({ failurePolicy, mutations: [mutation(expression)] })],
        requests: [create, get],
      }),
    ),
  )

export const mutatingScenarios: readonly PolicyScenario[] = [
  ...both("patch", patches, jsonPatch),
  ...both("configuration", configurations, applied),
  ...Object.entries(workloads).map(
    ([name, expression]): PolicyScenario => ({
      name: `a configuration of ${name}`,
      policies: [mutating({ mutations: [applied(expression)] }, ofDeployments)],
      requests: [createDeployment],
    }),
  ),
  ...rounds,
  ...Object.entries(refused).map(([name, policy]): PolicyScenario => ({ name: `refused: ${name}`, policies: [policy], requests: [] })),
]
