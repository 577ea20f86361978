import { describe } from "vitest"
import { itComesTo } from "../../testing/expression-table.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"

const environment = kubernetesEnvironment()

describe("formats by name", () => {
  itComesTo(
    [
      ["format.named('dns1123Label').hasValue()", "true", 2],
      ["format.named('dns1123label').hasValue()", "false", 2],
      ["format.named('nothing') == optional.none()", "true", 3],
      ["format.named('uuid').value() == format.uuid()", "true", 4],
      ["format.uuid() == format.uri()", "false", 3],
      ["format.named('date').value().validate('2024-02-29').hasValue()", "false", 39],
    ],
    environment,
  )
})

describe("what they accept and refuse", () => {
  itComesTo(
    [
      ["format.dns1123Label().validate('web-1').hasValue()", "false", 10],
      [
        "format.dns1123Label().validate('Web')",
        "optional [\"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\"]",
        9,
      ],
      [
        "format.dns1123Label().validate('')",
        "optional [\"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\"]",
        9,
      ],
      ["format.dns1123Label().validate('a.b').hasValue()", "true", 10],
      [
        "format.dns1123Label().validate('0123456789012345678901234567890123456789012345678901234567890123')",
        'optional ["must be no more than 63 characters"]',
        57,
      ],
      ["format.dns1123LabelPrefix().validate('web-').hasValue()", "false", 10],
      [
        "format.dns1123LabelPrefix().validate('-web')",
        "optional [\"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\"]",
        9,
      ],
      ["format.dns1123Subdomain().validate('a.example.com').hasValue()", "false", 32],
      [
        "format.dns1123Subdomain().validate('a..b')",
        "optional [\"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\"]",
        16,
      ],
      ["format.dns1123Subdomain().validate('A.b').hasValue()", "true", 17],
      ["format.dns1123SubdomainPrefix().validate('a.b-').hasValue()", "false", 17],
      ["format.dns1123SubdomainPrefix().validate('a.b_').hasValue()", "true", 17],
      ["format.dns1035Label().validate('web-1').hasValue()", "false", 10],
      [
        "format.dns1035Label().validate('1web')",
        "optional [\"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')\"]",
        9,
      ],
      ["format.dns1035LabelPrefix().validate('web-').hasValue()", "false", 10],
      ["format.dns1035LabelPrefix().validate('-').hasValue()", "true", 10],
      ["format.qualifiedName().validate('example.com/name').hasValue()", "false", 32],
      ["format.qualifiedName().validate('name_1.2').hasValue()", "false", 17],
      [
        "format.qualifiedName().validate('a/b/c')",
        "optional [\"a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')\"]",
        16,
      ],
      [
        "format.qualifiedName().validate('example.com/')",
        "optional [\"name part must be non-empty\", \"name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\"]",
        31,
      ],
      ["format.qualifiedName().validate('/name').hasValue()", "true", 17],
      ["format.labelValue().validate('a_b.c-d').hasValue()", "false", 12],
      ["format.labelValue().validate('').hasValue()", "false", 12],
      [
        "format.labelValue().validate('-a')",
        "optional [\"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\"]",
        11,
      ],
      ["format.uri().validate('https://example.com/a?b=c').hasValue()", "false", 830],
      ["format.uri().validate('example')", 'optional ["parse \\"example\\": invalid URI for request"]', 277],
      ["format.uri().validate('/path').hasValue()", "false", 278],
      ["format.uri().validate('http://[::1').hasValue()", "true", 554],
      ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", "false", 74],
      ["format.uuid().validate('123E4567-E89B-12D3-A456-426614174000').hasValue()", "false", 74],
      ["format.uuid().validate('123e4567')", 'optional ["does not match the UUID format"]', 19],
      ["format.byte().validate('aGk=').hasValue()", "false", 23],
      ["format.byte().validate('').hasValue()", "true", 23],
      ["format.byte().validate('a!')", 'optional ["invalid base64"]', 22],
      ["format.date().validate('2024-02-29').hasValue()", "false", 38],
      ["format.date().validate('2023-02-29')", 'optional ["invalid date"]', 37],
      ["format.date().validate('2024-2-1').hasValue()", "true", 20],
      ["format.datetime().validate('2024-02-29T10:00:00Z').hasValue()", "false", 56],
      ["format.datetime().validate('2024-02-29T10:00:00.123+02:00').hasValue()", "false", 56],
      ["format.datetime().validate('2024-02-29')", 'optional ["invalid datetime"]', 37],
      ["format.datetime().validate('2024-02-29 10:00:00Z').hasValue()", "true", 56],
      ["format.named('dns1123Label').value().validate('-').value().size()", "1", 12],
      ["format.date().validate(1)", "refused: found no matching overload for 'validate' applied to 'kubernetes.NamedFormat.(int)'", 0],
      [
        "format.dns1123Label() == 'dns1123Label'",
        "refused: found no matching overload for '_==_' applied to '(kubernetes.NamedFormat, string)'",
        0,
      ],
    ],
    environment,
  )
})
