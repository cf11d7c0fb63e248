"""Set-up of a bare machine: environment, container engine, images, weights.

Run as ``python3 -m setup`` (``make setup``). It uses only the standard library, since nothing is
installed when it starts, and does nothing that is done already.
"""
