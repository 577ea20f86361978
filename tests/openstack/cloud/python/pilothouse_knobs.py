"""Files that turn the cloud while it runs, and one line per API call in log/access.log.

knobs/port-delay            seconds until a bound port is ACTIVE (0.5 without it), or "never"
knobs/balancer-delay        seconds that every step of Octavia's worker takes
knobs/balancer-fails        exists: Octavia's work fails
knobs/<service>-fault       lines "STATUS[!] [METHOD|* [PATH-PREFIX]]"; with "!" the work is done and only its answer is lost
"""
import json
import os
import time

DIRECTORY = os.environ['PILOTHOUSE_CLOUD']


def read(name):
    try:
        with open(os.path.join(DIRECTORY, 'knobs', name)) as file:
            return file.read().strip()
    except FileNotFoundError:
        return None


def fault_of(service, method, path):
    for line in (read(service + '-fault') or '').splitlines():
        status, wanted, prefix = (line.split() + ['*', ''])[:3] if len(line.split()) < 3 else line.split()[:3]
        if wanted in ('*', method) and path.startswith(prefix):
            return status
    return None


class Gate:
    """A WSGI application around another one."""

    def __init__(self, application, service):
        self.application = application
        self.service = service
        self.log = open(os.path.join(DIRECTORY, 'log', 'access.log'), 'a', buffering=1)

    def __call__(self, environ, start_response):
        method, path = environ['REQUEST_METHOD'], environ.get('SCRIPT_NAME', '') + environ.get('PATH_INFO', '')
        began, status = time.time(), ['-']

        def remember(line, headers, *rest):
            status[0] = line[:3]
            return start_response(line, headers, *rest)

        try:
            fault = fault_of(self.service, method, path)
            if fault is None:
                return self.application(environ, remember)
            if fault.endswith('!'):
                for _ in self.application(environ, lambda *_: lambda data: None):
                    pass
            return self.refuse(fault.rstrip('!'), remember)
        finally:
            query = environ.get('QUERY_STRING')
            where = path + '?' + query if query else path
            self.log.write('%.3f %s %s %s %s %d\n' % (began, self.service, method, where, status[0], 1000 * (time.time() - began)))

    def refuse(self, status, start_response):
        words = 'a knob makes this fail'
        bodies = {
            'neutron': {'NeutronError': {'type': 'InjectedFailure', 'message': words, 'detail': ''}},
            'octavia': {'faultcode': 'Server', 'faultstring': words, 'debuginfo': None},
            'keystone': {'error': {'code': int(status), 'title': 'Injected', 'message': words}},
        }
        start_response(status + ' Injected', [('Content-Type', 'application/json')])
        return [json.dumps(bodies[self.service]).encode()]


def filter_factory(_, service, **__):
    return lambda application: Gate(application, service)
